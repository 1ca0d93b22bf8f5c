/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What libomp reads of a GNU program's environment. libgomp has read it before
 * and has said what is wrong in it; what it ignores libomp would take, or end
 * the process. So libomp gets a copy in which such variables are missing and
 * blanks are gone. Its locks are of the kind that is nearest to libgomp's: who
 * comes first gets them, and nobody stands in a queue, which takes ten times as
 * long where several threads want one. Linked into the patched libomp.so. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedule_hook.h"

typedef enum value_kind {
  kNumbers, /* larger than 0, with commas between them */
  kNumber,
  kBoolean,
  kWords,
} value_kind;

static const struct {
  const char *name;
  value_kind kind;
} known[] = {
    {"OMP_NUM_THREADS", kNumbers},       {"OMP_THREAD_LIMIT", kNumber},
    {"OMP_NUM_TEAMS", kNumber},          {"OMP_TEAMS_THREAD_LIMIT", kNumber},
    {"OMP_DYNAMIC", kBoolean},           {"OMP_NESTED", kBoolean},
    {"OMP_CANCELLATION", kBoolean},      {"OMP_SCHEDULE", kWords},
    {"OMP_WAIT_POLICY", kWords},
};

/* By ASCII, whatever the program's locale is. */
static int is_digit(char letter) { return letter >= '0' && letter <= '9'; }
static int is_blank(char letter) {
  return letter == ' ' || (letter >= '\t' && letter <= '\r');
}
static int is_word(const char *text, const char *word) {
  for (; *word; ++text, ++word) {
    const char small =
        *text >= 'A' && *text <= 'Z' ? (char)(*text - 'A' + 'a') : *text;
    if (small != *word)
      return 0;
  }
  return *text == '\0';
}

static int is_positive(const char *digits, size_t length) {
  int positive = 0;
  for (size_t i = 0; i < length; ++i) {
    if (!is_digit(digits[i]))
      return 0;
    positive |= digits[i] != '0';
  }
  return positive;
}

static int are_positive(const char *value, int several) {
  for (;;) {
    const size_t length = strcspn(value, ",");
    if (!is_positive(value, length) || (value[length] == ',' && !several))
      return 0;
    if (value[length] == '\0')
      return 1;
    value += length + 1;
  }
}

static int is_valid(value_kind kind, const char *value) {
  switch (kind) {
  case kNumbers:
    return are_positive(value, 1);
  case kNumber:
    return are_positive(value, 0);
  case kBoolean:
    return is_word(value, "true") || is_word(value, "false");
  case kWords:
    break;
  }
  return *value != '\0';
}

static void remove_blanks(char *text) {
  char *to = text;
  for (; *text; ++text) {
    if (!is_blank(*text))
      *to++ = *text;
  }
  *to = '\0';
}

/* @return what libomp is to read, allocated if it is another text; NULL: nothing */
static char *as_libgomp(char *variable) {
  const char *value = strchr(variable, '=');
  const size_t length = value ? (size_t)(value - variable) : 0;
  /* libomp 19 ends the process by it. */
  if (length == strlen("OMP_PLACES") &&
      strncmp(variable, "OMP_PLACES", length) == 0 && strchr(value, '!'))
    return NULL;
  for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); ++i) {
    if (strlen(known[i].name) != length ||
        strncmp(variable, known[i].name, length) != 0)
      continue;
    char *copy = strdup(variable);
    if (!copy)
      return variable;
    remove_blanks(copy + length + 1);
    if (is_valid(known[i].kind, copy + length + 1))
      return copy;
    free(copy);
    return NULL;
  }
  return variable;
}

char **__kmp_hook_environment(char **env) {
  static char *none[] = {NULL};
  if (!env) /* the program has called clearenv() */
    env = none;
  __kmp_hook_find_libgomp();
  if (!__kmp_hook_beside_libgomp)
    return env;
  size_t count = 0;
  int has_kind = 0, has_threads = 0, sleeps = 0;
  while (env[count] != NULL)
    ++count;
  /* What a copy holds stays: this is asked for once, and where libomp begins
   * again. */
  char **copy = calloc(count + 3, sizeof(*copy));
  if (!copy)
    return env;
  size_t used = 0;
  for (size_t i = 0; i < count; ++i) {
    char *const variable = as_libgomp(env[i]);
    if (!variable)
      continue;
    copy[used++] = variable;
    has_kind |= strncmp(variable, "KMP_LOCK_KIND=", 14) == 0;
    has_threads |= strncmp(variable, "OMP_NUM_THREADS=", 16) == 0;
    sleeps |= strncmp(variable, "OMP_WAIT_POLICY=", 16) == 0 &&
              is_word(variable + 16, "passive");
  }
  static char spinning[] = "KMP_LOCK_KIND=tas", sleeping[] = "KMP_LOCK_KIND=futex";
  if (!has_kind)
    copy[used++] = sleeps ? sleeping : spinning;
  static char threads[64];
  if (!has_threads && __kmp_hook_libgomp_threads > 0) {
    snprintf(threads, sizeof(threads), "OMP_NUM_THREADS=%d",
             __kmp_hook_libgomp_threads);
    copy[used++] = threads;
  }
  return copy;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What libomp reads of a GNU program's environment. libgomp has read it before
 * and has said what is wrong in it; what it ignores libomp would take, warn of,
 * or end the process. So libomp gets a copy in which such variables are missing
 * and the others are written as libomp takes them, with the number of threads
 * and the places that libgomp has. Its locks are of the kind that is nearest to
 * libgomp's: who comes first gets them, and nobody stands in a queue, which
 * takes ten times as long where several threads want one. Linked into the
 * patched libomp.so. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedule_hook.h"

typedef enum value_kind {
  kNumbers,  /* larger than 0, with commas between them */
  kNumber,   /* larger than 0 */
  kCount,    /* 0 or larger */
  kSize,     /* a number with a unit, in kB without one */
  kSchedule, /* a schedule of OpenMP's, or a technique of Gimbal's */
  kWord,     /* one of `words` */
  kWords     /* several of them, with commas between them */
} value_kind;

static const struct {
  const char *name;
  value_kind kind;
  const char *words;
} known[] = {
    {"OMP_NUM_THREADS", kNumbers, NULL},
    {"OMP_THREAD_LIMIT", kNumber, NULL},
    {"OMP_NUM_TEAMS", kNumber, NULL},
    {"OMP_TEAMS_THREAD_LIMIT", kNumber, NULL},
    {"OMP_MAX_ACTIVE_LEVELS", kCount, NULL},
    {"OMP_DEFAULT_DEVICE", kCount, NULL},
    {"OMP_MAX_TASK_PRIORITY", kCount, NULL},
    {"OMP_STACKSIZE", kSize, NULL},
    {"GOMP_STACKSIZE", kSize, NULL},
    {"OMP_SCHEDULE", kSchedule, NULL},
    {"OMP_DYNAMIC", kWord, "true false"},
    {"OMP_NESTED", kWord, "true false"},
    {"OMP_CANCELLATION", kWord, "true false"},
    {"OMP_DISPLAY_AFFINITY", kWord, "true false"},
    {"OMP_WAIT_POLICY", kWord, "active passive"},
    {"OMP_TARGET_OFFLOAD", kWord, "default mandatory disabled"},
    {"OMP_PROC_BIND", kWords, "true false master primary close spread"},
};

/* By ASCII, whatever the program's locale is. */
static int is_digit(char letter) { return letter >= '0' && letter <= '9'; }
static int is_blank(char letter) {
  return letter == ' ' || (letter >= '\t' && letter <= '\r');
}
static char small(char letter) {
  return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

/* Whether the `length` letters of the text are this word. */
static int is_word(const char *text, size_t length, const char *word,
                   size_t word_length) {
  if (length != word_length)
    return 0;
  for (size_t i = 0; i < length; ++i) {
    if (small(text[i]) != word[i])
      return 0;
  }
  return 1;
}

static int is_one_of(const char *text, size_t length, const char *words) {
  while (*words) {
    const size_t word = strcspn(words, " ");
    if (is_word(text, length, words, word))
      return 1;
    words += word;
    words += *words == ' ';
  }
  return 0;
}

/* @return the value of so many digits; -1: they are none, or too many */
static long long number_of(const char *digits, size_t length) {
  long long number = 0;
  if (length == 0 || length > 18)
    return -1;
  for (size_t i = 0; i < length; ++i) {
    if (!is_digit(digits[i]))
      return -1;
    number = 10 * number + (digits[i] - '0');
  }
  return number;
}

/* Less than the 16 kB that a thread needs libgomp refuses. */
static int is_size(const char *value) {
  static const char units[] = "bkmg";
  const size_t length = strlen(value);
  const char *unit =
      length > 0 ? strchr(units, small(value[length - 1])) : NULL;
  const long long number = number_of(value, length - (unit != NULL));
  const int power = unit ? (int)(unit - units) : 1;
  return number >= 0 && number <= LLONG_MAX >> 10 * power &&
         number << 10 * power >= 16384;
}

/* Each of what stands between commas. */
static int are(value_kind kind, const char *words, const char *value) {
  for (;;) {
    const size_t length = strcspn(value, ",");
    if (kind == kWords ? !is_one_of(value, length, words)
                       : number_of(value, length) <= 0)
      return 0;
    if (value[length] == '\0')
      return 1;
    value += length + 1;
  }
}

static const char kOne[] = ",1";

/* A chunk that is not larger than 0 is none for libgomp, `auto` has none, and
 * one that is no number is 1, with what stands before it in force. But behind
 * `auto` the number of a selector stays, which the hook is to see
 * (docs/selection.md).
 * @param value  with room for kOne behind it  @return 0: libgomp ignores it */
static int keep_schedule(char *value) {
  const char *colon = strchr(value, ':');
  const char *kind = colon ? colon + 1 : value;
  const size_t length = strcspn(kind, ", ");
  if (!is_one_of(kind, length, "static dynamic guided auto"))
    return *value != '\0';
  char *const chunk = value + (kind - value) + length;
  if (*chunk == '\0')
    return 1;
  const size_t sign = chunk[0] == ',' && chunk[1] == '-';
  const char *digits = chunk + 1 + sign;
  const long long number = number_of(digits, strlen(digits));
  const int is_auto = is_word(kind, length, "auto", 4);
  if (is_auto && *chunk == ',' && !sign && number >= 2 && number <= 15)
    return 1;
  if (sign || number == 0 || is_auto)
    *chunk = '\0';
  else if (*chunk != ',' || number < 0 || number > INT_MAX)
    strcpy(chunk, kOne);
  return 1;
}

static int keep(value_kind kind, const char *words, char *value) {
  switch (kind) {
  case kNumbers:
  case kWords:
    return are(kind, words, value);
  case kNumber:
    return number_of(value, strlen(value)) > 0;
  case kCount:
    return number_of(value, strlen(value)) >= 0;
  case kSize:
    return is_size(value);
  case kSchedule:
    return keep_schedule(value);
  case kWord:
    break;
  }
  return is_one_of(value, strlen(value), words);
}

static int separates(char letter) {
  return letter == ',' || letter == ':' || letter == '\0';
}

/* Takes away blanks at the ends and beside what separates, before a unit, and
 * the sign of a number. A blank within a number or a word stays, and is wrong
 * there. */
static void tidy(value_kind kind, char *text) {
  const char *const begin = text;
  char *to = text;
  for (const char *from = text; *from; ++from) {
    const char before = to == begin ? '\0' : to[-1];
    if (is_blank(*from)) {
      const char next = from[1 + strspn(from + 1, " \t\n\v\f\r")];
      if (separates(before) || separates(next) ||
          (kind == kSize && !is_digit(next)))
        continue;
    }
    if (*from == '+' && separates(before) && is_digit(from[1]))
      continue;
    *to++ = *from;
  }
  *to = '\0';
}

static int is_variable(const char *variable, const char *name) {
  const size_t length = strlen(name);
  return strncmp(variable, name, length) == 0 && variable[length] == '=';
}

/* @return what libomp is to read, allocated; NULL: nothing */
static char *as_libgomp(const char *variable) {
  for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); ++i) {
    if (!is_variable(variable, known[i].name))
      continue;
    char *copy = malloc(strlen(variable) + sizeof(kOne));
    if (!copy)
      return NULL;
    strcpy(copy, variable);
    char *value = copy + strlen(known[i].name) + 1;
    tidy(known[i].kind, value);
    if (keep(known[i].kind, known[i].words, value))
      return copy;
    free(copy);
    return NULL;
  }
  return strdup(variable);
}

/* By libgomp one of several variables for the same thing counts. */
static int is_overruled(const char *variable, char **env) {
  static const char *const over[][2] = {
      {"GOMP_STACKSIZE", "OMP_STACKSIZE"},
      {"GOMP_CPU_AFFINITY", "OMP_PLACES"},
      {"GOMP_CPU_AFFINITY", "OMP_PROC_BIND"},
  };
  for (size_t i = 0; i < sizeof(over) / sizeof(over[0]); ++i) {
    if (!is_variable(variable, over[i][0]))
      continue;
    for (char **one = env; *one; ++one) {
      if (is_variable(*one, over[i][1]))
        return 1;
    }
  }
  return is_variable(variable, "GOMP_CPU_AFFINITY") &&
         !__kmp_hook_libgomp_places;
}

/* Not by pointers into the program's: it may change that, and libomp reads all
 * of this again in a child. @return NULL: no memory */
static char **copy_of(char **env) {
  size_t count = 0;
  while (env[count] != NULL)
    ++count;
  char **copy = calloc(count + 4, sizeof(*copy));
  if (!copy)
    return NULL;
  size_t used = 0;
  int has_kind = 0, has_threads = 0, sleeps = 0, binds = 0, has_places = 0;
  for (size_t i = 0; i < count; ++i) {
    if (is_overruled(env[i], env))
      continue;
    char *variable = is_variable(env[i], "OMP_PLACES")
                         ? __kmp_hook_libgomp_places
                         : as_libgomp(env[i]);
    if (!variable)
      continue;
    /* The user wants fewer than there are processors. */
    has_threads |= is_variable(variable, "OMP_NUM_THREADS") ||
                   is_variable(variable, "KMP_HW_SUBSET");
    has_kind |= is_variable(variable, "KMP_LOCK_KIND");
    binds |= is_variable(variable, "OMP_PROC_BIND");
    has_places |= is_variable(variable, "OMP_PLACES") ||
                  is_variable(variable, "KMP_AFFINITY") ||
                  is_variable(variable, "KMP_HW_SUBSET");
    sleeps |= is_variable(variable, "OMP_WAIT_POLICY") &&
              is_one_of(variable + 16, strlen(variable + 16), "passive");
    copy[used++] = variable;
  }
  static char spinning[] = "KMP_LOCK_KIND=tas";
  static char sleeping[] = "KMP_LOCK_KIND=futex";
  if (!has_kind)
    copy[used++] = sleeps ? sleeping : spinning;
  /* What is a core libomp asks the processor, and libgomp the kernel. Who uses
   * libomp's own words has its places, and who has set a mask keeps that. */
  char *const places =
      binds && !has_places ? __kmp_hook_places_of_bound() : NULL;
  if (places)
    copy[used++] = places;
  static char threads[64];
  if (!has_threads && __kmp_hook_libgomp_threads > 0) {
    snprintf(threads, sizeof(threads), "OMP_NUM_THREADS=%d",
             __kmp_hook_libgomp_threads);
    copy[used++] = threads;
  }
  return copy;
}

char **__kmp_hook_environment(char **env) {
  static char *none[] = {NULL};
  /* libgomp reads its environment once, too. */
  static char **first;
  if (!env) /* the program has called clearenv() */
    env = none;
  __kmp_hook_find_libgomp();
  if (!__kmp_hook_beside_libgomp)
    return env;
  if (!first)
    first = copy_of(env);
  return first ? first : env;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A PAPI that keeps one file for its event set, as the real one does, and reads and closes it without a look. */
#include <stdlib.h>
#include <unistd.h>

static int file = -1;

int PAPI_library_init(int version) {
    return version;
}
int PAPI_thread_init(unsigned long (*id)(void)) {
    return id ? 0 : -1;
}
int PAPI_create_eventset(int* set) {
    *set = 1;
    return 0;
}
int PAPI_assign_eventset_component(int set, int component) {
    return set == 1 && component == 0 ? 0 : -1;
}
int PAPI_attach(int set, unsigned long tid) {
    return set == 1 && tid != 0 ? 0 : -1;
}
int PAPI_add_event(int set, int event) {
    return set == 1 && event != 0 ? 0 : -1;
}
int PAPI_start(int set) {
    file = atoi(getenv("STAND_IN_FILE"));
    return set == 1 && file >= 0 ? 0 : -1;
}
int PAPI_read(int set, long long* values) {
    char byte = 0;
    if (set != 1 || read(file, &byte, 1) != 1) return -1;
    values[0] = byte;
    return 0;
}
int PAPI_stop(int set, long long* values) {
    return PAPI_read(set, values);
}
int PAPI_cleanup_eventset(int set) {
    return set == 1 ? close(file) : -1;
}
int PAPI_destroy_eventset(int* set) {
    *set = -1;
    return 0;
}
int PAPI_unregister_thread(void) {
    return 0;
}
char* PAPI_strerror(int error) {
    static char words[] = "an error";
    return error == 0 ? NULL : words;
}

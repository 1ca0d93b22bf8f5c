# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""C programs of random worksharing loops that print one number, the same whoever runs which iteration and when."""
import random

# Counter types with the smallest and the largest value.
TYPES = {"short": (-2**15, 2**15 - 1), "int": (-2**31, 2**31 - 1), "long": (-2**63, 2**63 - 1),
         "unsigned char": (0, 2**8 - 1), "unsigned": (0, 2**32 - 1), "unsigned long": (0, 2**64 - 1),
         "size_t": (0, 2**64 - 1)}
FORMS = ("plain", "plain", "two", "ordered", "lastprivate", "linear", "collapse", "collapse3", "cancel", "tasks",
         "nested")
# libomp's own dynamic schedule takes a lastprivate value from the wrong thread now and then: only Gimbal's there.
OTHER_SCHEDULES = ("schedule(dynamic)", "schedule(guided, 3)", "schedule(static, 5)", "", "schedule(auto)")

HEAD = """
#include <omp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

static inline uint64_t mix(uint64_t x) {
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdULL;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ULL;
    return x ^ x >> 33;
}
static inline void spin(unsigned rounds) { for (volatile unsigned k = 0; k < rounds; k++) {} }
static inline void add(uint64_t *to, uint64_t value) { __atomic_fetch_add(to, value, __ATOMIC_RELAXED); }
"""
TAIL = """
typedef uint64_t (*function)(void);
static const function all[] = {%s};
static const int order[] = {%s};
static uint64_t run(int from) {
    const int count = sizeof order / sizeof *order;
    uint64_t sum = 0;
    for (int k = 0; k < count; k++) {
        const int which = order[(k + from) %% count];
        sum += mix(all[which]() + (uint64_t)which);
    }
    return sum;
}
static void *thread(void *from) { return (void *)run((int)(intptr_t)from); }

/* With an argument three threads run all loops with teams of their own, beside each other. */
int main(int count, char **words) {
    uint64_t total = 0;
    (void)words;
    if (count > 1) {
        pthread_t threads[3];
        for (intptr_t k = 0; k < 3; k++) pthread_create(&threads[k], NULL, thread, (void *)(k * 5));
        for (int k = 0; k < 3; k++) {
            void *sum;
            pthread_join(threads[k], &sum);
            total += (uint64_t)sum;
        }
    } else {
        total = run(0) * 3;
    }
    printf("%%lx\\n", (unsigned long)total);
    return 0;
}
"""


def literal(kind, value):
    if value == -2**63:
        return f"({value + 1}L - 1)"
    if value == -2**31 and kind == "int":
        return f"({value + 1} - 1)"
    return str(value) + {"long": "L", "unsigned": "U", "unsigned long": "UL", "size_t": "UL"}.get(kind, "")


class Program:
    """The same text for the same seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.functions = [self.function(number) for number in range(self.random.randrange(6, 14))]

    def text(self):
        count = len(self.functions)
        order = [self.random.randrange(count) for _ in range(self.random.randrange(20, 60))]
        return HEAD + "".join(self.functions) + TAIL % (", ".join(f"f{k}" for k in range(count)),
                                                        ", ".join(map(str, order)))

    def chance(self, part):
        return self.random.random() < part

    def bounds(self, kind):
        """Trip count, first value and end, step (negative: downwards), comparison; near an edge of the type or not."""
        least, most = TYPES[kind]
        count = self.random.choice([0, 1, 2, 3, 5, 7, 16, 33, 64, 100, 257, 1000])
        step = self.random.choice([1, 1, 1, 2, 3, 7, 1000 if most > 10**6 else 5])
        while count * step > (most - least) // 2:
            count //= 2
        span = count * step
        low = self.random.choice([max(least, 0), least, most - span - step, (least + most) // 2])
        low = max(low, least)
        over = self.random.randrange(step) if count else 0  # of the last step, that is not used
        if least < 0 and self.chance(0.35):
            if low - step < least:  # the counter passes the end by up to a step
                low += step
            return count, low + span - over, low, -step, ">"
        if span and self.chance(0.5):
            return count, low, low + span - over - 1, step, "<="
        return count, low, low + span - over, step, "<"

    def schedule(self, form):
        if form != "lastprivate" and self.chance(0.45):
            return self.random.choice(OTHER_SCHEDULES)
        promise = self.random.choice(["", "", "", "monotonic: ", "nonmonotonic: " if form != "ordered" else ""])
        return f"schedule({promise}runtime)"

    def function(self, number):
        kind = self.random.choice(list(TYPES))
        form = self.random.choice(FORMS)
        count, first, end, step, less = self.bounds(kind)
        loop = f"for ({kind} i = first; i {less} end; i {'-' if step < 0 else '+'}= {abs(step)})"
        self.kind, self.count = kind, count
        self.clauses = f"{self.schedule(form)} "
        self.team = self.random.choice(["", "", f"num_threads({self.random.randrange(1, 6)}) "])
        self.nowait = " nowait" if self.chance(0.25) else ""
        self.work = self.random.choice([0, 0, 0, 10, 200, 2000])
        hashed = f"const uint64_t h = mix((uint64_t)i + {number}); spin({self.work} * (unsigned)(h & 7));"
        body = getattr(self, form)(loop, hashed)
        return f"""
static uint64_t f{number}(void) {{
    volatile {kind} from = {literal(kind, first)}, to = {literal(kind, end)};
    const {kind} first = from, end = to;
    uint64_t cell[61] = {{0}}, sum = 0, count = 0, last = 0;
    for (int again = 0; again < {self.random.choice([1, 1, 2, 9])}; again++) {{
{body}
    }}
    for (int k = 0; k < 61; k++) sum = sum * 31 + cell[k];
    return sum * 7 + count + last * 3;
}}
"""

    COUNTED = "sum += h; add(&cell[(uint64_t)i % 61], h); count++;"
    SUMS = "reduction(+ : sum, count)"

    def parallel_for(self, loop, body, more=""):
        return f"#pragma omp parallel for {self.clauses}{self.team}{self.SUMS} {more}\n{loop} {{ {body} }}"

    def region(self, inside):
        return f"#pragma omp parallel {self.team}{self.SUMS}\n{{\n{inside}\n}}"

    def plain(self, loop, hashed):
        return self.parallel_for(loop, f"{hashed} {self.COUNTED}")

    def two(self, loop, hashed):
        return self.region(f"#pragma omp for {self.clauses}{self.nowait}\n{loop} {{ {hashed} {self.COUNTED} }}\n"
                           f"#pragma omp for {self.clauses}{self.nowait}\n{loop} count += mix((uint64_t)i) & 3;")

    def ordered(self, loop, hashed):
        return "uint64_t chain = 1;\n" + self.parallel_for(
            loop, f"{hashed} {self.COUNTED}\n#pragma omp ordered\nchain = chain * 1000003 + (uint64_t)i;",
            "ordered") + "\nlast += chain;"

    def lastprivate(self, loop, hashed):
        # Without an iteration the value is undefined.
        return "uint64_t value = 99;\n" + self.parallel_for(
            loop, f"{hashed} {self.COUNTED} value = mix((uint64_t)i);", "lastprivate(value)") + (
                "\nlast += value;" if self.count else "")

    def linear(self, loop, hashed):
        if self.kind not in ("int", "long"):
            return self.plain(loop, hashed)
        return "long line = 5;\n" + self.parallel_for(
            loop, f"{hashed} {self.COUNTED} sum += mix((uint64_t)line); line += 3;", "linear(line : 3)")

    def collapse(self, loop, hashed):
        inner = f"for (int j = 0; j < {self.random.choice([0, 1, 3, 17])}; j++)"
        return self.parallel_for(f"{loop} {inner}", f"{hashed} sum += mix(h + (uint64_t)j); count++;", "collapse(2)")

    def collapse3(self, _, hashed):
        loops = (f"for (long i = 0; i < {self.random.choice([1, 2, 5])}; i++) "
                 f"for (int j = {self.random.choice([0, 1, 4])}; j > 0; j--) "
                 f"for (unsigned k = 0; k < {self.random.choice([1, 9])}U; k++)")
        return self.region(f"#pragma omp for collapse(3) {self.clauses}{self.nowait}\n{loops} "
                           f"{{ {hashed} sum += mix(h + (uint64_t)j * 9 + k); count++; }}")

    def cancel(self, loop, hashed):
        return self.region(f"#pragma omp for {self.clauses}\n{loop} {{ {hashed} {self.COUNTED}\n"
                           "#pragma omp cancel for if (count > (uint64_t)1 << 60)\n}")

    def tasks(self, loop, hashed):
        return self.region(f"#pragma omp for {self.clauses}{self.nowait}\n{loop} {{ {hashed} "
                           "uint64_t *const to = &cell[(uint64_t)i % 61];\n"
                           "#pragma omp task firstprivate(h, to)\nadd(to, h);\ncount++; }")

    def nested(self, loop, hashed):
        inner = (f"#pragma omp parallel for {self.clauses}num_threads({self.random.randrange(1, 4)}) "
                 "reduction(+ : inside)\nfor (int q = 0; q < 13; q++) inside += mix(h + (uint64_t)q);")
        return self.parallel_for(loop, f"{hashed} uint64_t inside = 0;\n{inner}\nsum += inside; count++;")

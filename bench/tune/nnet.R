# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Seed 003's neural network as it was: R's nnet with its defaults, whose output lies between 0 and 1 (linout = FALSE),
# and with a linear output. Usage: Rscript nnet.R FOLDER SEEDS RUNS; FOLDER has TASKS.csv, with times in the column time.
library(nnet)
arguments <- commandArgs(trailingOnly = TRUE)
files <- list.files(arguments[1], "^[0-9]+\\.csv$", full.names = TRUE)
files <- files[order(as.integer(sub("\\.csv", "", basename(files))))]
seeds <- as.integer(arguments[2])
runs <- as.integer(arguments[3])
over_best <- function(table, seed, size, linear) {
    set.seed(seed)
    left <- seq_len(nrow(table))
    seen <- sample(left, 5)
    same <- 0
    while (length(seen) < runs) {
        left <- setdiff(left, seen)
        model <- nnet(time ~ ., data = table[seen, ], size = size, linout = linear, trace = FALSE)
        guess <- predict(model, table[left, ])
        same <- same + (diff(range(guess)) < 1e-9)
        seen <- c(seen, left[which.min(guess)])
    }
    c(100 * (min(table$time[seen]) / min(table$time) - 1), same / (runs - 5))
}
for (linear in c(FALSE, TRUE)) for (size in c(1, 5, 10)) {
    found <- sapply(files, function(file) {
        table <- read.csv(file, stringsAsFactors = TRUE)
        table <- table[, sapply(table, function(column) length(unique(column)) > 1)]
        rowMeans(sapply(seq_len(seeds), function(seed) over_best(table, seed, size, linear)))
    })
    cat(linear, size, found[1, ], mean(found[2, ]), "\n")
}

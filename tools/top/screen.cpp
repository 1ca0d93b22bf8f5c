// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "screen.hpp"

#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "columns.hpp"
#include "figures.hpp"
#include "gimbal/error.hpp"
#include "view.hpp"

// Its macros are lower-case words.
#define NCURSES_NOMACROS
#include <curses.h>

namespace gimbal::top {

namespace {

volatile std::sig_atomic_t asked_to_end = 0;

void note_end(int) {
    asked_to_end = 1;
}

double now_s() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::string clock_text() {
    const time_t now = time(nullptr);
    tm parts{};
    localtime_r(&now, &parts);
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%02d:%02d:%02d", parts.tm_hour, parts.tm_min, parts.tm_sec);
    return text.data();
}

/// The terminal is ncurses' for as long as this lives.
class Terminal {
public:
    Terminal() {
        const char* const kind = std::getenv("TERM");
        if (isatty(STDIN_FILENO) != 1 || isatty(STDOUT_FILENO) != 1)
            throw Error(ErrorCode::unsupported, "top: standard input and output must be a terminal",
                        "for files and pipes: gimbal top --once");
        if (!kind || !*kind)
            throw Error(ErrorCode::unsupported, "top: TERM is not set: the kind of the terminal is not known",
                        "for example: TERM=xterm gimbal top; or gimbal top --once");
        screen_ = newterm(nullptr, stdout, stdin);
        if (!screen_)
            throw Error(ErrorCode::unsupported,
                        "top: nothing is known about terminals of the kind TERM=" + std::string(kind),
                        "for example: TERM=xterm gimbal top; or gimbal top --once");
        // `dumb` is known, and has only lines, one after the other.
        if (!tigetstr("cup") || !tigetstr("clear")) {
            endwin();
            delscreen(screen_);
            throw Error(ErrorCode::unsupported,
                        "top: terminals of the kind TERM=" + std::string(kind) + " cannot move the cursor",
                        "for example: TERM=xterm gimbal top; or gimbal top --once");
        }
        cbreak();
        noecho();
        keypad(stdscr, TRUE);
        curs_set(0);
        const char* const plain = std::getenv("NO_COLOR");
        colours_ = (!plain || !*plain) && has_colors() == TRUE && start_color() == OK && use_default_colors() == OK;
        if (colours_) init_pair(1, COLOR_RED, -1);
    }
    ~Terminal() {
        endwin();
        delscreen(screen_);
    }
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    [[nodiscard]] bool colours() const noexcept { return colours_; }

private:
    SCREEN* screen_ = nullptr;
    bool colours_ = false;
};

constexpr std::array<std::string_view, 11> kHelp = {
    "l t r      loops, threads, ranks",
    "s S        sort by the next or the previous column",
    "R          the other way round",
    "up, down   scroll; PgUp, PgDn: by a page; Home",
    "p          pause",
    "h ?        this help",
    "q          quit",
    "",
    "time %: part of wall time in the loop; lost %: of that, waiting for the last.",
    "Figures are of the last seconds: programs tell theirs every 2 to 5 s; -: they do not.",
    "any key goes back"};

/// What is on the screen, and what keys do to it.
class Display {
public:
    Display(const Terminal& terminal, std::vector<int> of) : terminal_(terminal), processes_(std::move(of)) {}

    void look() {
        if (paused_) return;
        figures_ = rates_.update(processes_.look(), now_s());
    }

    void draw() {
        erase();
        const int rows = getmaxy(stdscr), columns = getmaxx(stdscr);
        if (help_)
            draw_help(rows, columns);
        else
            draw_table(rows, columns);
        refresh();
    }

    /// @return false: quit
    bool press(int key) {
        if (help_) {
            help_ = false;
            return key != 'q';
        }
        const int page = std::max(1, getmaxy(stdscr) - 6);
        switch (key) {
            case 'q':
                return false;
            case 'l':
                choose(Table::loops);
                break;
            case 't':
                choose(Table::threads);
                break;
            case 'r':
                choose(Table::ranks);
                break;
            case 's':
                next_key(1);
                break;
            case 'S':
                next_key(-1);
                break;
            case 'R':
                view_.up = !view_.up;
                break;
            case 'p':
                paused_ = !paused_;
                break;
            case 'h':
            case '?':
                help_ = true;
                break;
            case KEY_DOWN:
                ++first_;
                break;
            case KEY_UP:
                --first_;
                break;
            case KEY_NPAGE:
                first_ += page;
                break;
            case KEY_PPAGE:
                first_ -= page;
                break;
            case KEY_HOME:
                first_ = 0;
                break;
            default:
                break;
        }
        first_ = std::max(first_, 0);
        return true;
    }

private:
    void choose(Table table) {
        view_ = {.table = table, .sort = {}, .up = false};
        first_ = 0;
    }

    void next_key(int by) {
        const std::vector<std::string_view> keys = sort_keys(view_.table);
        const auto now = std::find(keys.begin(), keys.end(), view_.sort);
        const auto count = static_cast<std::ptrdiff_t>(keys.size());
        const std::ptrdiff_t at = now == keys.end() ? (by > 0 ? -1 : count) : now - keys.begin();
        view_.sort = keys[static_cast<std::size_t>((at + by + count) % count)];
    }

    static void line(int row, const std::string& text, int columns, attr_t how = A_NORMAL) {
        // The last cell of the screen cannot be written without scrolling; nothing stands there.
        if (row == getmaxy(stdscr) - 1) --columns;
        attrset(how);
        mvaddstr(row, 0, filled_to(text, static_cast<std::size_t>(std::max(0, columns))).c_str());
        attrset(A_NORMAL);
    }

    void draw_help(int rows, int columns) const {
        line(0, "gimbal top: keys", columns, A_REVERSE);
        for (int i = 0; i < static_cast<int>(kHelp.size()) && i + 2 < rows; ++i)
            line(i + 2, std::string(kHelp[static_cast<std::size_t>(i)]), columns);
    }

    void draw_table(int rows, int columns) {
        const auto width = static_cast<std::size_t>(std::max(columns, 1));
        line(0,
             "gimbal top  " + clock_text() + "  " + std::to_string(figures_.ranks.size()) + " processes, " +
                 std::to_string(figures_.runs.size()) + " runs" + (paused_ ? "  (paused)" : ""),
             columns, A_BOLD);
        int row = 1;
        constexpr int kMaxRuns = 3;
        for (std::size_t i = 0; i < figures_.runs.size() && row <= kMaxRuns; ++i)
            line(row++, shortened_to(figures_.runs[i], std::max<std::size_t>(width, 20)), columns);
        if (figures_.runs.empty()) line(row++, "no program of this user runs under Gimbal on this machine", columns);
        ++row;
        const std::vector<std::string> lines = lines_of(figures_, view_, std::max<std::size_t>(width, 60));
        const int count = static_cast<int>(lines.size()) - 1, room = std::max(0, rows - row - 2);
        first_ = std::clamp(first_, 0, std::max(0, count - room));
        line(row++, lines.front(), columns, A_REVERSE);
        for (int i = first_; i < std::min(count, first_ + room); ++i)
            line(row++, lines[static_cast<std::size_t>(i) + 1], columns);
        std::string keys = "q quit  l loops  t threads  r ranks  s sort: ";
        keys += view_.sort.empty() ? "usual" : view_.sort;
        keys += view_.up ? " (up)" : "";
        line(rows - 1, keys + "  h help", columns, terminal_.colours() ? A_DIM : A_NORMAL);
    }

    const Terminal& terminal_;
    LiveProcesses processes_;
    Rates rates_;
    Figures figures_;
    View view_;
    int first_ = 0;  // row at the top
    bool paused_ = false, help_ = false;
};

}  // namespace

int show(double interval_s, std::vector<int> of) {
    const Terminal terminal;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, note_end);
    Display display(terminal, std::move(of));
    double next_s = now_s();
    while (!asked_to_end) {
        if (now_s() >= next_s) {
            display.look();
            next_s = now_s() + interval_s;
        }
        display.draw();
        timeout(std::clamp(static_cast<int>(1e3 * (next_s - now_s())), 1, 1000));
        const int key = getch();
        // ERR also where the terminal has gone: then there is nothing to show and nobody to press q.
        pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
        if (key == ERR && poll(&input, 1, 0) > 0 && (input.revents & (POLLHUP | POLLERR | POLLNVAL))) break;
        if (key != ERR && !display.press(key)) break;
    }
    return 0;
}

}  // namespace gimbal::top

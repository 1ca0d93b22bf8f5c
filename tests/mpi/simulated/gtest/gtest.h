// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of the rank level use of GoogleTest, for ranks that are simulated: GoogleTest knows one test at a time
// in a process, and here each rank is in one. Stands in its place in the search path, so that the same sources serve.
#pragma once

#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace testing {

/// Text that is streamed together.
class Message {
public:
    template <class T>
    Message& operator<<(const T& value) {
        text_ << value;
        return *this;
    }
    [[nodiscard]] std::string text() const { return text_.str(); }

private:
    std::ostringstream text_;
};

/// Yes or no, and why.
class AssertionResult {
public:
    explicit AssertionResult(bool yes) : yes_(yes) {}
    template <class T>
    AssertionResult& operator<<(const T& value) {
        Message more;
        text_ += (more << value).text();
        return *this;
    }
    explicit operator bool() const noexcept { return yes_; }
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
    bool yes_;
    std::string text_;
};
inline AssertionResult AssertionSuccess() {
    return AssertionResult(true);
}
inline AssertionResult AssertionFailure() {
    return AssertionResult(false);
}

/// Of the test that this rank is in.
void note_failure(const char* file, int line, const std::string& text);
void note_skip(const std::string& why);
[[nodiscard]] bool is_skipped();

/// What failures are said with while it lives.
class Trace {
public:
    explicit Trace(const std::string& text);
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;
    ~Trace();
};

class Test {
public:
    virtual ~Test() = default;
    void run() {
        SetUp();
        if (!is_skipped()) TestBody();
        TearDown();
    }

protected:
    virtual void SetUp() {}
    virtual void TearDown() {}
    virtual void TestBody() = 0;
    [[nodiscard]] static bool IsSkipped() { return is_skipped(); }
};

/// The parameter of the test that this rank is in.
[[nodiscard]] const void* current_parameter();

template <class T>
class TestWithParam : public Test {
public:
    using Parameter = T;
    [[nodiscard]] static const T& GetParam() { return *static_cast<const T*>(current_parameter()); }
};

template <class T>
struct TestParamInfo {
    T param;
    std::size_t index;
};

struct Entry {
    std::string name;
    std::function<std::unique_ptr<Test>()> make;
    std::shared_ptr<const void> parameter = {};
};
bool add_test(Entry entry);
/// One that runs for each parameter of its suite.
bool add_pattern(const std::string& suite, const std::string& name, std::function<std::unique_ptr<Test>()> make);
bool add_parameter(const std::string& suite, const std::string& name, std::shared_ptr<const void> parameter);

template <class... T>
auto Values(T... values) {
    return std::vector<std::common_type_t<T...>>{values...};
}
template <class A, class B>
auto Combine(const std::vector<A>& first, const std::vector<B>& second) {
    std::vector<std::tuple<A, B>> all;
    for (const A& a : first)
        for (const B& b : second) all.emplace_back(a, b);
    return all;
}

template <class Suite, class All, class Namer>
bool add_parameters(const std::string& suite, const All& all, Namer name) {
    using Parameter = typename Suite::Parameter;
    std::size_t index = 0;
    for (const auto& value : all) {
        const TestParamInfo<Parameter> info{value, index++};
        add_parameter(suite, name(info), std::make_shared<Parameter>(value));
    }
    return true;
}

/// Takes a streamed text to where it is said.
struct Failure {
    const char* file;
    int line;
    void operator=(const Message& message) const { note_failure(file, line, message.text()); }
};
struct Skip {
    void operator=(const Message& message) const { note_skip(message.text()); }
};

template <class T>
std::string shown(const T& value) {
    if constexpr (requires(std::ostringstream& text) { text << value; }) {
        Message message;
        return (message << value).text();
    } else {
        return "(something)";
    }
}
inline std::string text_of(const AssertionResult& result) {
    return result.text() + " ";
}
template <class T>
std::string text_of(const T&) {
    return {};
}

}  // namespace testing

#define GTEST_CLASS_(suite, name) suite##_##name##_Test
#define GTEST_DEFINE_(suite, name, base, add)                                                                     \
    class GTEST_CLASS_(suite, name) : public base {                                                               \
    protected:                                                                                                    \
        void TestBody() override;                                                                                 \
    };                                                                                                            \
    [[maybe_unused]] static const bool suite##_##name##_added =                                                   \
        add([]() -> std::unique_ptr<testing::Test> { return std::make_unique<GTEST_CLASS_(suite, name)>(); });    \
    void GTEST_CLASS_(suite, name)::TestBody()
#define GTEST_PLAIN_(suite, name) [](auto make) { return testing::add_test({#suite "." #name, make}); }
#define GTEST_PATTERN_(suite, name) [](auto make) { return testing::add_pattern(#suite, #name, make); }
#define TEST(suite, name) GTEST_DEFINE_(suite, name, testing::Test, (GTEST_PLAIN_(suite, name)))
#define TEST_F(suite, name) GTEST_DEFINE_(suite, name, suite, (GTEST_PLAIN_(suite, name)))
#define TEST_P(suite, name) GTEST_DEFINE_(suite, name, suite, (GTEST_PATTERN_(suite, name)))
#define INSTANTIATE_TEST_SUITE_P(prefix, suite, all, ...) \
    [[maybe_unused]] static const bool prefix##_##suite##_parameters = \
        testing::add_parameters<suite>(#suite, all, __VA_ARGS__)

#define GTEST_FAILURE_ testing::Failure{__FILE__, __LINE__} = testing::Message()
#define ADD_FAILURE() GTEST_FAILURE_
#define FAIL() return GTEST_FAILURE_
#define GTEST_SKIP() return testing::Skip{} = testing::Message()
#define GTEST_JOIN2_(a, b) a##b
#define GTEST_JOIN_(a, b) GTEST_JOIN2_(a, b)
#define SCOPED_TRACE(text) const testing::Trace GTEST_JOIN_(trace_, __LINE__)(text)

#define GTEST_TRUE_(value, wanted, leave)                                               \
    if (const auto& gtest_value = (value); static_cast<bool>(gtest_value) == (wanted)) \
        ;                                                                               \
    else                                                                                \
        leave GTEST_FAILURE_ << testing::text_of(gtest_value) << #value " is not " #wanted " "
#define EXPECT_TRUE(value) GTEST_TRUE_(value, true, )
#define EXPECT_FALSE(value) GTEST_TRUE_(value, false, )
#define ASSERT_TRUE(value) GTEST_TRUE_(value, true, return)

#define GTEST_COMPARE_(a, sign, b, leave)                                                                  \
    if (const auto gtest_pair = std::pair{(a), (b)}; gtest_pair.first sign gtest_pair.second)               \
        ;                                                                                                   \
    else                                                                                                    \
        leave GTEST_FAILURE_ << #a " " #sign " " #b ": " << testing::shown(gtest_pair.first) << " and "      \
                             << testing::shown(gtest_pair.second) << " "
#define EXPECT_EQ(a, b) GTEST_COMPARE_(a, ==, b, )
#define EXPECT_NE(a, b) GTEST_COMPARE_(a, !=, b, )
#define EXPECT_LE(a, b) GTEST_COMPARE_(a, <=, b, )
#define EXPECT_LT(a, b) GTEST_COMPARE_(a, <, b, )
#define EXPECT_GE(a, b) GTEST_COMPARE_(a, >=, b, )
#define EXPECT_GT(a, b) GTEST_COMPARE_(a, >, b, )
#define ASSERT_EQ(a, b) GTEST_COMPARE_(a, ==, b, return)

#define EXPECT_THROW(statement, type)                                                          \
    if ([&] {                                                                                  \
            try {                                                                              \
                statement;                                                                     \
            } catch (const type&) {                                                            \
                return true;                                                                   \
            }                                                                                  \
            return false;                                                                      \
        }())                                                                                   \
        ;                                                                                      \
    else                                                                                       \
        GTEST_FAILURE_ << #statement " did not throw " #type " "

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image_file.hpp"

#include "pictures.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace restore {
namespace {

namespace fs = std::filesystem;

class ImageFile : public testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("restore_test_" + std::to_string(getpid()));
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    std::string file_of(const std::string& name, const std::string& bytes) const {
        std::ofstream(path(name), std::ios::binary) << bytes;
        return path(name);
    }
    /// What is said about a file that cannot be read; empty if it can.
    std::string refusal(const std::string& bytes) const {
        try {
            read_image(file_of("refused", bytes));
            return {};
        } catch (const ImageError& error) {
            return error.what();
        }
    }

    fs::path folder_;
};

TEST_F(ImageFile, WhatIsWrittenIsReadAgain) {
    for (const auto& [name, planes] : {std::pair("a.png", 1), {"b.png", 3}, {"c.pgm", 1}, {"d.ppm", 3}}) {
        const Image image = smooth_image(31, 17, planes);
        write_image(image, path(name));
        EXPECT_EQ(read_image(path(name)), image) << name;
    }
    EXPECT_TRUE(has_image_name("a.png") && has_image_name("B.PNG") && has_image_name("c.Ppm"));
    EXPECT_FALSE(has_image_name("png") || has_image_name(".pgm") || has_image_name("a.jpg"));
    EXPECT_EQ(encode(smooth_image(3, 2), "x.PNG"), encode(smooth_image(3, 2), "x.png"));
    EXPECT_EQ(encode(smooth_image(3, 2), "x.Pgm"), encode(smooth_image(3, 2), "x.pgm"));
    const Image dot = smooth_image(1, 1);
    write_image(dot, path("a.png"));  // replaces
    EXPECT_EQ(read_image(path("a.png")), dot);
    for (const auto& entry : fs::directory_iterator(folder_))
        EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << "left behind: " << entry.path();
}

/// Wherever a PNG is cut off, and whatever is missing, it is refused, not read in part.
TEST_F(ImageFile, TruncatedFilesAreRefused) {
    for (const char* end : {"x.png", "x.pgm"}) {
        const std::string whole = encode(smooth_image(40, 30), end);
        ASSERT_EQ(refusal(whole), "") << end;
        // The last 12 bytes of a PNG are its end mark, which libpng does not need.
        const std::size_t last = whole.size() - (std::string(end) == "x.png" ? 16 : 1);
        for (std::size_t bytes = 0; bytes < last; bytes += 1 + bytes / 8)
            EXPECT_NE(refusal(whole.substr(0, bytes)), "") << end << " of " << bytes << " bytes";
        EXPECT_NE(refusal(whole.substr(0, last)), "") << end;
    }
}

TEST_F(ImageFile, RefusalsSayWhatIsAllowed) {
    for (const std::string& bytes :
         {std::string(), std::string("hello"), std::string("P5\n0 4\n255\n"), std::string("P5\n4 0\n255\n"),
          std::string("P5\n99999999999999999999 4\n255\n"), std::string("P5\n40000 1\n255\n"),
          std::string("P5\n2 2\n65535\n12345678"), std::string("P5\n-2 2\n255\n1234"), std::string("P2\n1 1\n255\n7"),
          std::string("P5 # no end"), std::string("P5")}) {
        const std::string said = refusal(bytes);
        EXPECT_NE(said.find("allowed: 8-bit grey or RGB"), std::string::npos) << bytes << ": " << said;
        EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    }
    EXPECT_THROW(read_image(path("absent.png")), ImageError);
    EXPECT_THROW(read_image(folder_.string()), ImageError);
    EXPECT_THROW(write_image(smooth_image(2, 2, 3), path("colour.pgm")), ImageError);
    EXPECT_THROW(write_image(smooth_image(2, 2), path("no/such/folder.pgm")), ImageError);
    EXPECT_FALSE(fs::exists(path("colour.pgm")));
}

TEST_F(ImageFile, CommentsAndBlanksInTheHeadArePassedOver) {
    const Image image = read_image(file_of("c.pgm", "P5 # grey\n# two\n 2\t1 # wide\n255\nAB"));
    EXPECT_EQ(image.planes.at(0).samples, (std::vector<std::uint8_t>{'A', 'B'}));
}

}  // namespace
}  // namespace restore

#include "rankcert/io/file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <fstream>

#include "io/files.hpp"
#include "rankcert/io/npy.hpp"
#include "rankcert/io/safetensors.hpp"
#include "rankcert/io/sha256.hpp"
#include "support/folder.hpp"

using namespace rankcert;
using files::contains;
using files::refusal;
using support::Folder;

TEST_CASE("what is written is read back, and replaces what was there") {
    const Folder folder;
    for (const std::string& text : {std::string("first"), std::string(300000, 'x'), std::string()}) {
        write_file_atomically(folder / "f", text);
        CHECK(files::to_text(read_file(folder / "f")) == text);
        CHECK(folder.entries() == 1);
    }
}

TEST_CASE("a write that fails leaves the old file and no temporary one") {
    const Folder folder;
    CHECK(contains(refusal([&] {
                       write_file_atomically(folder / "none/f", "x");
                       return 0;
                   }),
                   "none/f"));
    CHECK(refusal([&] {
              write_file_atomically(folder.path() / "", "x");
              return 0;
          }) != "(accepted)");
    std::filesystem::create_directory(folder / "folder");
    write_file_atomically(folder / "folder/inside", "x");
    // A folder that is not empty stands where the file should go: the rename fails.
    CHECK(contains(refusal([&] {
                       write_file_atomically(folder / "folder", "x");
                       return 0;
                   }),
                   "folder"));
    CHECK(folder.entries() == 1);
    CHECK(files::to_text(read_file(folder / "folder/inside")) == "x");
}

TEST_CASE("what is not a readable regular file is refused with its name") {
    const Folder folder;
    CHECK(contains(refusal([&] { return read_file(folder / "none"); }), "none"));
    CHECK(contains(refusal([&] { return read_file(folder.path()); }), "folder"));
    CHECK(contains(refusal([] { return read_file("/dev/null"); }), "regular"));
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    CHECK(contains(refusal([&] { return read_file(folder / "pipe"); }), "regular"));
    write_file_atomically(folder / "f", "12345");
    CHECK(contains(refusal([&] { return read_file(folder / "f", 4); }), "5 bytes"));
    CHECK(read_file(folder / "f", 5).size() == 5);
    std::ofstream(folder / "sparse").put('x');
    REQUIRE(::truncate((folder / "sparse").c_str(), off_t{1} << 40) == 0);
    CHECK(contains(refusal([&] { return read_file(folder / "sparse"); }), "more than"));
}

TEST_CASE("readers of files name the file") {
    const Folder folder;
    write_file_atomically(folder / "bad", "not an array");
    CHECK(contains(refusal([&] { return read_npy(folder / "bad"); }), "/bad"));
    CHECK(contains(refusal([&] { return read_npz(folder / "bad"); }), "/bad"));
    CHECK(contains(refusal([&] { return read_safetensors(folder / "bad"); }), "/bad"));
}

TEST_CASE("SHA-256 gives the published values") {
    CHECK(sha256(files::to_bytes("")) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256(files::to_bytes("abc")) ==
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256(files::to_bytes(std::string(1000000, 'a'))) ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    Sha256 hash;
    hash.update("a");
    hash.update(files::to_bytes("bc"));
    CHECK(hash.finish() == sha256(files::to_bytes("abc")));
}

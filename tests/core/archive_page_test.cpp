// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/archive_page.hpp"

#include <doctest/doctest.h>

#include <string>

namespace cudapin {

namespace {

const std::string nginx =
    "<html>\r\n<head><title>Index of /packages/g/gcc10/</title></head>\r\n<body>\r\n"
    "<h1>Index of /packages/g/gcc10/</h1><hr><pre><a href=\"../\">../</a>\r\n"
    "<a href=\"gcc10-1%3A10.2.0-3-x86_64.pkg.tar.zst\">gcc10-1:10.2.0-3-x86_64.pkg.tar.zst</a>    "
    "20-Jul-2021 06:30    37M\r\n"
    "<a href=\"gcc10-1%3A10.2.0-3-x86_64.pkg.tar.zst.sig\">gcc10-1:10.2.0-3-x86_64.pkg.tar.zst.sig</a>"
    " 20-Jul-2021 06:30     566\r\n"
    "<a href=\"gcc10-10.3.1%2Br416%2Bg44d-2-x86_64.pkg.tar.zst\">gcc10-10.3.1+r416+g..&gt;</a> "
    "01-Dec-2020 23:59    1.2G\r\n"
    "<a href=\"gcc10-libs-1%3A10.2.0-3-x86_64.pkg.tar.zst\">of another package</a> 01-Dec-2020 23:59  1K\r\n"
    "</pre><hr></body>\r\n</html>\r\n";

const std::string apache =
    "<title>Index of /packages/x/xorg-twm</title><table><tr><th><a href=\"?C=N;O=D\">Name</a></th></tr>\n"
    "<tr><td><a href=\"/packages/x/\">Parent Directory</a></td><td>&nbsp;</td><td align=\"right\">  - "
    "</td></tr>\n"
    "<tr><td><a href=\"xorg-twm-1.0.9-1-i686.pkg.tar.xz\">xorg-twm-1.0.9-1-i68..&gt;</a></td>"
    "<td align=\"right\">2019-05-15 19:31  </td><td align=\"right\"> 91K</td><td>&nbsp;</td></tr>\n"
    "<tr><td><a href=\"xorg-twm-1.0.10-1.1-x86_64.pkg.tar.xz\">xorg-twm-1.0.10-1.1-..&gt;</a></td></tr>\n";

const std::string item =
    "<html><head><title>archlinux_pkg_cuda directory listing</title></head><body>"
    "<h1>Files for archlinux_pkg_cuda</h1><table class=\"directory-listing-table\"><tbody>\n"
    "<tr><td><a href=\"/details/archlinux_pkg_cuda\">Go to parent directory</a></td><td></td><td></td></tr>\n"
    "<tr ><td><a href=\"archlinux_pkg_cuda_files.xml\">archlinux_pkg_cuda_files.xml</a></td>"
    "<td>27-Apr-2021 00:47</td><td>12.0K</td></tr>\n"
    "<tr ><td><a href=\"cuda-11.1.0-2-x86_64.pkg.tar.zst\">cuda-11.1.0-2-x86_64.pkg.tar.zst</a>"
    " (<a href=\"cuda-11.1.0-2-x86_64.pkg.tar.zst/\">View Contents</a>)</td>\n<td>28-Apr-2021 10:05</td>\n"
    "<td>1.5G</td>\n</tr>\n"
    "<tr ><td><a href=\"cuda-11.1.0-2-x86_64.pkg.tar.zst.sig\">x</a></td><td>28-Apr-2021 10:05</td>"
    "<td>566.0B</td></tr>\n</tbody></table>";

}  // namespace

TEST_CASE("archive page: nginx's list gives names dates sizes and signatures") {
  const auto files = files_in_page(nginx, "gcc10");
  REQUIRE(files.size() == 2);
  CHECK(files[0].file.text() == "gcc10-1:10.2.0-3-x86_64.pkg.tar.zst");
  CHECK(files[0].date == "2021-07-20 06:30");
  CHECK(files[0].size == 37u << 20);
  CHECK(files[0].has_signature);
  CHECK(!files[0].is_here);
  CHECK(files[1].file.version.text() == "10.3.1+r416+g44d-2");
  CHECK(files[1].date == "2020-12-01 23:59");
  CHECK(files[1].size == 1288490189u);
  CHECK(!files[1].has_signature);
  CHECK(files_in_page(nginx, "gcc10-libs").size() == 1);
  CHECK(files_in_page(nginx, "gcc").empty());
}

TEST_CASE("archive page: Apache's table is read by its links") {
  const auto files = files_in_page(apache, "xorg-twm");
  REQUIRE(files.size() == 2);
  CHECK(files[0].file.arch == "i686");
  CHECK(files[0].date == "2019-05-15 19:31");
  CHECK(files[0].size == 91u << 10);
  CHECK(files[1].file.version.text() == "1.0.10-1.1");
  CHECK(files[1].date.empty());
  CHECK(!files[1].size);
}

TEST_CASE("archive page: an item of the Internet Archive is a list too") {
  const auto files = files_in_page(item, "cuda");
  REQUIRE(files.size() == 1);
  CHECK(files[0].file.version.text() == "11.1.0-2");
  CHECK(files[0].date == "2021-04-28 10:05");
  CHECK(files[0].size == 1610612736u);
  CHECK(files[0].has_signature);
}

TEST_CASE("archive page: a list without packages and a page of another kind are told apart") {
  CHECK((kind_of_page(nginx) == PageKind::listing));
  CHECK((kind_of_page(apache) == PageKind::listing));
  CHECK((kind_of_page(item) == PageKind::listing));
  for (const auto* page :
       {"", " \r\n", "<h1>Index of /packages/c/cuda/</h1><hr><pre><a href=\"../\">../</a>\r\n</pre>",
        "<title>x</title><a href=\"../\">../</a>"})
    CHECK((kind_of_page(page) == PageKind::empty));
  for (const auto* page :
       {"<title>Sign in</title><a href=\"/login\">go on</a>", "not found",
        "<a href=\"cuda.pkg.tar.zst\">no version</a>", "<a href=\"x.pkg.tar.zst.sig\">sig</a>"})
    CHECK((kind_of_page(page) == PageKind::other));
}

TEST_CASE("archive page: a signature counts wherever it stands") {
  const auto files = files_in_page(
      "<a href=\"cuda-2-1-x86_64.pkg.tar.zst.sig\">"
      "<a href=\"cuda-1-1-x86_64.pkg.tar.zst\"><a href=\"cuda-2-1-x86_64.pkg.tar.zst\">",
      "cuda");
  REQUIRE(files.size() == 2);
  CHECK(!files[0].has_signature);
  CHECK(files[1].has_signature);
}

TEST_CASE("archive page: damaged and hostile links give nothing and harm nothing") {
  for (const auto* page :
       {"<a href=\"", "<a href=\"cuda-1-1-x86_64.pkg.tar.zst",
        "<a href=\"..%2Fcuda-1-1-x86_64%00.pkg.tar.zst\">",
        "<a href=\"cuda-1%2F..%2F2-1-x86_64.pkg.tar.zst\">",
        "<a href=\"cuda-%1b[31m1-1-x86_64.pkg.tar.zst\">", "<a href=\"cuda-1-x86_64.pkg.tar.zst\">"})
    for (const auto& file : files_in_page(page, "cuda"))
      CHECK(file.file.text() == "cuda-1-1-x86_64.pkg.tar.zst");
  const auto files =
      files_in_page("<a href=\"/a/b/cuda-1-1-x86_64.pkg.tar.zst?x=1#y\"> 99-Xyz-2020 00:00 9", "cuda");
  REQUIRE(files.size() == 1);
  CHECK(files[0].date.empty());
  CHECK(!files[0].size);
}

TEST_CASE("archive page: an index line has no ending") {
  const auto file = file_in_index("gcc10-libs-1:10.2.0-3-x86_64\r");
  REQUIRE(file);
  CHECK(file->name == "gcc10-libs");
  CHECK(file->text() == "gcc10-libs-1:10.2.0-3-x86_64.pkg.tar.zst");
  for (const auto* line : {"", "cuda", "cuda-1-1", "../cuda-1-1-x86_64/"}) CHECK(!file_in_index(line));
}

TEST_CASE("archive page: only the two endings of packages stand for each other") {
  const auto named = [](const char* text) { return *parse_file_name(text); };
  CHECK(with_other_ending(named("cuda-1-1-x86_64.pkg.tar.zst"))->text() == "cuda-1-1-x86_64.pkg.tar.xz");
  CHECK(with_other_ending(named("cuda-1-1-x86_64.pkg.tar.xz"))->text() == "cuda-1-1-x86_64.pkg.tar.zst");
  CHECK(!with_other_ending(named("cuda-1-1-x86_64.pkg.tar.gz")));
}

}  // namespace cudapin

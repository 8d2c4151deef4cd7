// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/archive_server.hpp"

#include "core/package.hpp"
#include "core/text.hpp"

#include <fmt/format.h>
#include <httplib.h>

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <fstream>
#include <mutex>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace cudapin {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

using Kind = Fault::Kind;

std::optional<struct stat> status_of(const fs::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return info;
}

std::string http_date(std::time_t time) { return utc_text(time, "%a, %d %b %Y %H:%M:%S GMT"); }

/// As nginx rounds with `autoindex_exact_size off`.
std::string rounded(std::uint64_t size) {
  if (size < 1024) return fmt::format("{}", size);
  if (size < 1 << 20) return fmt::format("{}K", (size + 512) >> 10);
  if (size < 1 << 30) return fmt::format("{}M", (size + (1 << 19)) >> 20);
  return fmt::format("{:.1f}G", static_cast<double>(size) / (1 << 30));
}

/// One line of nginx's autoindex: the link whole and encoded, the text cut to 50 characters.
std::string listing_line(const fs::path& path) {
  const auto info = status_of(path);
  if (!info) return {};
  const bool folder = S_ISDIR(info->st_mode);
  const auto name = path.filename().string() + (folder ? "/" : "");
  const auto link = percent_encode(path.filename().string()) + (folder ? "/" : "");
  const auto text = name.size() > 50 ? name.substr(0, 47) + "..&gt;" : name;
  const auto width = std::min<std::size_t>(name.size(), 50);
  return fmt::format("<a href=\"{}\">{}</a>{} {} {:>7}\r\n", link, text, std::string(50 - width, ' '),
                     utc_text(info->st_mtime, "%d-%b-%Y %H:%M"),
                     folder ? "-" : rounded(static_cast<std::uint64_t>(info->st_size)));
}

std::string listing(const fs::path& folder, const std::string& path) {
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder))
    if (!entry.path().filename().string().starts_with('.')) entries.push_back(entry.path());
  std::ranges::sort(entries, {}, [](const fs::path& entry) {
    return std::pair(!fs::is_directory(entry), entry.filename().string());
  });
  std::string lines;
  for (const auto& entry : entries) lines += listing_line(entry);
  return fmt::format(
      "<html>\r\n<head><title>Index of {0}</title></head>\r\n<body>\r\n<h1>Index of {0}</h1><hr><pre>"
      "<a href=\"../\">../</a>\r\n{1}</pre><hr></body>\r\n</html>\r\n",
      path, lines);
}

/// The Internet Archive's page of an item: a link to the contents behind some names, the date in the next
/// cell.
std::string item_page(const std::vector<fs::path>& files, const std::string& item) {
  std::string rows;
  for (const auto& file : files) {
    const auto info = status_of(file);
    if (!info) continue;
    const auto name = file.filename().string();
    const auto link = percent_encode(name);
    const auto contents =
        name.ends_with(".sig") ? "" : fmt::format(" (<a href=\"{}/\">View Contents</a>)", link);
    rows += fmt::format("<tr ><td><a href=\"{}\">{}</a>{}</td>\n<td>{}</td>\n<td>{}</td>\n</tr>\n", link,
                        name, contents, utc_text(info->st_mtime, "%d-%b-%Y %H:%M"),
                        rounded(static_cast<std::uint64_t>(info->st_size)));
  }
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><title>{0} directory listing</title></head><body>\n"
      "<div class=\"download-directory-listing\"><h1>Files for {0}</h1>\n"
      "<table class=\"directory-listing-table\"><thead><tr><th>Name</th><th>Last "
      "modified</th><th>Size</th></tr>"
      "</thead><tbody>\n<tr><td><a href=\"/details/{0}\">Go to parent "
      "directory</a></td><td></td><td></td></tr>\n"
      "{1}</tbody></table></div></body></html>\n",
      item, rows);
}

/// The file's package when a request for it is one that the archive redirects: a package or its signature.
std::optional<PackageFileName> package_of(const fs::path& path) {
  auto name = path.filename().string();
  if (name.ends_with(".sig")) name.resize(name.size() - 4);
  return parse_file_name(name);
}

std::string first_letter(const PackageFileName& package) {
  return {static_cast<char>(std::tolower(static_cast<unsigned char>(package.name[0])))};
}

std::string item_of(const PackageFileName& package) {
  auto item = "archlinux_pkg_" + package.name;
  std::ranges::replace_if(
      item, [](char c) { return c == '@' || c == '.' || c == '+'; }, '_');
  return item;
}

/// `bytes=A-` or `bytes=A-B` within `size`; nothing when the whole is to be sent.
struct Range {
  std::uint64_t first;
  std::uint64_t last;
};

std::optional<Range> parse_range(const std::string& text, std::uint64_t size) {
  if (!text.starts_with("bytes=") || text.find(',') != text.npos || size == 0) return std::nullopt;
  const auto dash = text.find('-');
  Range range{0, size - 1};
  if (dash == text.npos || dash == 6) return std::nullopt;
  std::from_chars(text.data() + 6, text.data() + dash, range.first);
  if (dash + 1 < text.size()) std::from_chars(text.data() + dash + 1, text.data() + text.size(), range.last);
  range.last = std::min(range.last, size - 1);
  return range;
}

/// A host with a listening thread of its own.
struct Node {
  httplib::Server server;
  std::thread thread;
  std::string base;

  void start(const std::string& address, int port, httplib::Server::Handler handler) {
    server.new_task_queue = [] { return new httplib::ThreadPool(24); };
    server.set_keep_alive_timeout(1);
    server.set_tcp_nodelay(true);
    server.Get(".*", std::move(handler));
    const bool bound = port ? server.bind_to_port(address.c_str(), port)
                            : (port = server.bind_to_any_port(address.c_str())) > 0;
    if (!bound) throw std::runtime_error(fmt::format("cannot listen on {}:{}", address, port));
    base = fmt::format("http://{}:{}", address, port);
    thread = std::thread([this] { server.listen_after_bind(); });
    while (!server.is_running()) std::this_thread::sleep_for(1ms);
  }
  ~Node() {
    server.stop();
    if (thread.joinable()) thread.join();
  }
};

}  // namespace

struct ArchiveServer::State {
  fs::path folder;
  fs::path moved;
  Manners archive_manners;
  Manners node_manners{false, false, true, false};
  mutable std::mutex mutex;
  std::vector<std::pair<std::string, Fault>> faults;
  std::vector<LoggedRequest> requests;
  std::ofstream log;
  std::atomic<bool> stopping{false};
  std::atomic<unsigned> serial{1};
  Node archive;
  Node items;
  Node node;

  using Request = httplib::Request;
  using Response = httplib::Response;

  std::optional<Fault> take_fault(const std::string& path, bool body);
  void note(const std::string& host, const Request& request, int status);
  bool misbehave(const std::string& base, const Request& request, Response& response);
  void answer_archive(const Request& request, Response& response);
  void answer_items(const Request& request, Response& response);
  void answer_node(const Request& request, Response& response);
  void send_page(const Request& request, Response& response, std::string page, const Manners& manners);
  void send_item(const Request& request, Response& response);
  void send_file(const Request& request, Response& response, const fs::path& file, const Manners& manners);
  void send_body(Response& response, const fs::path& file, Range range, const std::optional<Fault>& fault);
  bool feed(std::istream& file, std::uint64_t from, std::uint64_t offset, std::uint64_t length,
            httplib::DataSink& sink, const std::optional<Fault>& fault);
};

std::optional<Fault> ArchiveServer::State::take_fault(const std::string& path, bool body) {
  const std::lock_guard lock(mutex);
  for (auto& [end, fault] : faults) {
    const bool before_body = fault.kind == Kind::busy || fault.kind == Kind::page ||
                             fault.kind == Kind::forbidden || fault.kind == Kind::redirect_loop ||
                             fault.kind == Kind::redirect_to || fault.kind == Kind::status;
    if (!path.ends_with(end) || fault.times == 0 || before_body == body) continue;
    if (fault.times > 0) --fault.times;
    return fault;
  }
  return std::nullopt;
}

void ArchiveServer::State::note(const std::string& host, const Request& request, int status) {
  const std::lock_guard lock(mutex);
  requests.push_back({host, request.method, request.path, request.target, request.get_header_value("Range"),
                      request.get_header_value("User-Agent"), request.get_header_value("If-None-Match"),
                      status});
  const auto& range = requests.back().range;
  if (log.is_open())
    log << fmt::format("{} {} {} {} {}\n", host, request.method, request.path, range.empty() ? "-" : range,
                       status)
        << std::flush;
}

/// Answers in place of the file when a fault says so.
bool ArchiveServer::State::misbehave(const std::string& base, const Request& request, Response& response) {
  const auto fault = take_fault(request.path, false);
  if (!fault) return false;
  response.status = 302;
  if (fault->kind == Kind::redirect_loop) response.set_header("Location", base + request.target);
  if (fault->kind == Kind::redirect_to) response.set_header("Location", fault->location);
  if (fault->kind == Kind::forbidden) response.status = 403;
  if (fault->kind == Kind::status) response.status = static_cast<int>(fault->amount);
  if (fault->kind == Kind::busy) {
    response.status = 503;
    response.set_header("Retry-After", fmt::format("{}", fault->amount));
  }
  if (fault->kind == Kind::page) {
    response.status = 200;
    response.set_content("<!DOCTYPE html>\n<html><head><title>Sign in</title></head></html>\n", "text/html");
  }
  return true;
}

void ArchiveServer::State::answer_archive(const Request& request, Response& response) {
  const auto path = folder / fs::path(request.path).lexically_normal().relative_path();
  const auto package = package_of(path);
  if (misbehave(archive.base, request, response)) {
  } else if (fs::is_regular_file(path)) {
    send_file(request, response, path, archive_manners);
  } else if (fs::is_directory(path) && !request.path.ends_with('/')) {
    response.status = 301;
    response.set_header("Location", archive.base + request.target + "/");
  } else if (fs::is_directory(path)) {
    send_page(request, response, listing(path, request.path), archive_manners);
  } else if (package && (request.path.starts_with("/packages/") || request.path.starts_with("/repos/"))) {
    response.status = 302;
    response.set_header("Location", fmt::format("{}/download/{}/{}", items.base, item_of(*package),
                                                path.filename().string()));
  } else {
    response.status = 404;
  }
  note("archive", request, response.status);
}

void ArchiveServer::State::answer_items(const Request& request, Response& response) {
  if (!misbehave(items.base, request, response)) {
    const bool item = request.path.starts_with("/download/");
    response.status = item ? 302 : 404;
    if (item) response.set_header("Location", node.base + "/7/items/" + request.target.substr(10));
  }
  note("items", request, response.status);
}

void ArchiveServer::State::answer_node(const Request& request, Response& response) {
  const auto name = fs::path(request.path).filename();
  const auto package = package_of(name);
  response.status = 404;
  if (misbehave(node.base, request, response)) {
  } else if (request.path.ends_with('/')) {
    send_item(request, response);
  } else if (package && !moved.empty() &&
             fs::path(request.path).parent_path().filename() == item_of(*package)) {
    const auto nested = moved / "packages" / first_letter(*package) / package->name / name;
    const auto file = fs::is_regular_file(nested) ? nested : moved / name;
    if (fs::is_regular_file(file)) send_file(request, response, file, node_manners);
  }
  note("node", request, response.status);
}

void ArchiveServer::State::send_page(const Request& request, Response& response, std::string page,
                                     const Manners& manners) {
  const auto tag = fmt::format("\"{:x}\"", std::hash<std::string>{}(page));
  if (manners.dates_pages) response.set_header("ETag", tag);
  response.status = manners.dates_pages && request.get_header_value("If-None-Match") == tag ? 304 : 200;
  if (response.status == 304) return;
  const auto fault = take_fault(request.path, true);
  if (!fault) return response.set_content(page, "text/html");
  const auto length = page.size();
  auto stream = std::make_shared<std::istringstream>(std::move(page));
  response.set_content_provider(
      length, "text/html",
      [this, stream, fault](std::size_t offset, std::size_t left, httplib::DataSink& sink) {
        return feed(*stream, 0, offset, left, sink, fault);
      });
}

/// The page of an item; there is one for each package that has moved.
void ArchiveServer::State::send_item(const Request& request, Response& response) {
  const auto item = fs::path(request.path).parent_path().filename().string();
  std::vector<fs::path> files;
  if (moved.empty()) return;
  for (const auto& entry : fs::recursive_directory_iterator(moved))
    if (const auto package = package_of(entry.path()); package && item_of(*package) == item)
      files.push_back(entry.path());
  std::ranges::sort(files);
  if (!files.empty()) send_page(request, response, item_page(files, item), node_manners);
}

void ArchiveServer::State::send_file(const Request& request, Response& response, const fs::path& file,
                                     const Manners& manners) {
  const auto info = status_of(file);
  if (!info) return;
  const auto size = static_cast<std::uint64_t>(info->st_size);
  const auto fault = take_fault(request.path, true);
  const bool changing = fault && fault->kind == Kind::changing_etag;
  const auto version = changing ? serial++ : 0u;
  const auto tag =
      fmt::format("{}\"{:x}-{:x}-{}\"", manners.weak_etag ? "W/" : "", info->st_mtime, size, version);
  const auto date = http_date(info->st_mtime + version);
  if (manners.etag) response.set_header("ETag", tag);
  if (manners.last_modified) response.set_header("Last-Modified", date);
  if (manners.etag && request.get_header_value("If-None-Match") == tag) {
    response.status = 304;
    return;
  }
  auto range = parse_range(request.get_header_value("Range"), size);
  const auto condition = request.get_header_value("If-Range");
  const bool same =
      condition.empty() || (manners.etag && condition == tag) || (manners.last_modified && condition == date);
  if (!manners.ranges || !same || (fault && (fault->kind == Kind::no_ranges || fault->kind == Kind::chunked)))
    range.reset();
  response.status = range ? 206 : 200;
  if (range && range->first >= size) {
    response.status = 416;
    return;
  }
  if (range && fault && fault->kind == Kind::shifted_range && range->first < range->last) ++range->first;
  if (range)
    response.set_header("Content-Range", fmt::format("bytes {}-{}/{}", range->first, range->last, size));
  send_body(response, file, range.value_or(Range{0, size ? size - 1 : 0}), fault);
}

void ArchiveServer::State::send_body(Response& response, const fs::path& file, Range range,
                                     const std::optional<Fault>& fault) {
  const auto size = fs::file_size(file);
  auto length = size ? range.last - range.first + 1 : 0;
  if (fault && fault->kind == Kind::wrong_length) length += fault->amount;
  if (length == 0) return response.set_content("", "application/octet-stream");
  auto stream = std::make_shared<std::ifstream>(file, std::ios::binary);
  if (fault && fault->kind == Kind::chunked)
    return response.set_chunked_content_provider(
        "application/octet-stream",
        [this, stream, fault, length](std::size_t offset, httplib::DataSink& sink) {
          if (offset < length) return feed(*stream, 0, offset, length - offset, sink, fault);
          sink.done();
          return true;
        });
  response.set_content_provider(length, "application/octet-stream",
                                [this, stream, fault, from = range.first](
                                    std::size_t offset, std::size_t left, httplib::DataSink& sink) {
                                  return feed(*stream, from, offset, left, sink, fault);
                                });
}

/// The next piece of the body; false ends the connection.
bool ArchiveServer::State::feed(std::istream& file, std::uint64_t from, std::uint64_t offset,
                                std::uint64_t length, httplib::DataSink& sink,
                                const std::optional<Fault>& fault) {
  if (stopping) return false;
  const auto kind = fault ? std::optional(fault->kind) : std::nullopt;
  const auto limit = kind == Kind::cut || kind == Kind::stall ? fault->amount : ~std::uint64_t{0};
  if (offset >= limit && kind == Kind::cut) return false;
  if (offset >= limit) {
    std::this_thread::sleep_for(10ms);
    return sink.is_writable();
  }
  std::string piece(std::min({length, limit - offset, std::uint64_t{64} << 10}), '\0');
  if (kind == Kind::slow) {
    piece.resize(std::min<std::size_t>(piece.size(), std::max<std::uint64_t>(1, fault->amount / 50)));
    std::this_thread::sleep_for(20ms);
  }
  const auto start = from + offset;
  file.clear();
  file.seekg(static_cast<std::streamoff>(start));
  file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
  piece.resize(static_cast<std::size_t>(file.gcount()));
  if (piece.empty()) return false;
  if (kind == Kind::flip && fault->amount >= start && fault->amount < start + piece.size())
    piece[fault->amount - start] ^= 1;
  return sink.write(piece.data(), piece.size());
}

ArchiveServer::ArchiveServer(fs::path folder, fs::path moved, int port) : state_(std::make_unique<State>()) {
  auto& state = *state_;
  state.folder = std::move(folder);
  state.moved = std::move(moved);
  const auto bind = [&state](auto answer) {
    return [&state, answer](const httplib::Request& request, httplib::Response& response) {
      // The server under us would cut ranges out of every answer by itself, without a look at If-Range.
      const_cast<httplib::Request&>(request).ranges.clear();
      (state.*answer)(request, response);
    };
  };
  state.node.start("127.0.0.3", 0, bind(&State::answer_node));
  state.items.start("127.0.0.2", 0, bind(&State::answer_items));
  state.archive.start("127.0.0.1", port, bind(&State::answer_archive));
}

ArchiveServer::~ArchiveServer() { state_->stopping = true; }

std::string ArchiveServer::url() const { return state_->archive.base; }

void ArchiveServer::set_fault(const std::string& path_end, Fault fault) {
  const std::lock_guard lock(state_->mutex);
  state_->faults.emplace_back(path_end, std::move(fault));
}

void ArchiveServer::clear_faults() {
  const std::lock_guard lock(state_->mutex);
  state_->faults.clear();
}

std::string ArchiveServer::collection_url() const { return state_->items.base + "/download"; }

Manners& ArchiveServer::archive_manners() { return state_->archive_manners; }
Manners& ArchiveServer::node_manners() { return state_->node_manners; }

std::vector<LoggedRequest> ArchiveServer::requests() const {
  const std::lock_guard lock(state_->mutex);
  return state_->requests;
}

void ArchiveServer::forget_requests() {
  const std::lock_guard lock(state_->mutex);
  state_->requests.clear();
}

void ArchiveServer::log_to(const fs::path& file) {
  const std::lock_guard lock(state_->mutex);
  state_->log.open(file, std::ios::app);
}

}  // namespace cudapin

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pacman_log.hpp"

#include <doctest/doctest.h>

namespace cudapin {

namespace {

constexpr auto upgrade = "[2026-11-29T10:00:00+0000] [PACMAN] starting full system upgrade\n";
constexpr auto started = "[2026-11-29T10:01:00+0000] [ALPM] transaction started\n";
constexpr auto finished = "[2026-11-29T10:02:00+0000] [ALPM] transaction completed\n";
constexpr auto hook = "[2026-11-29T10:00:30+0000] [ALPM] running '00-cudapin-4-decide.hook'...\n";
constexpr auto synchronized = "[2026-11-29T09:00:00+0000] [PACMAN] synchronizing package lists\n";

UpgradeSeen::End end_of(const std::string& log) { return last_upgrade(log).end; }

}  // namespace

TEST_CASE("pacman log: the last change of a package comes with its time") {
  const std::string log =
      "[2021-04-22T03:10:00+0000] [ALPM] upgraded nvidia-utils (460.56-1 -> 460.73.01-1)\n"
      "[2021-04-22T03:10:01+0000] [ALPM] upgraded nvidia-utils-more (1-1 -> 2-1)\n"
      "[2021-04-22T03:10:02+0000] [ALPM-SCRIPTLET] upgraded nvidia-utils (no)\n";
  CHECK(last_change(log, "nvidia-utils") ==
        "upgraded nvidia-utils (460.56-1 -> 460.73.01-1) at 2021-04-22T03:10:00+0000");
  CHECK(last_change(log, "cuda").empty());
  CHECK(last_change("[2014-08-03 10:00] [ALPM] installed cuda (6.0-1)\n", "cuda") ==
        "installed cuda (6.0-1) at 2014-08-03 10:00");
}

TEST_CASE("pacman log: a full upgrade ends in one of four ways") {
  using enum UpgradeSeen::End;
  CHECK(end_of("") == none);
  CHECK(end_of(upgrade) == nothing_to_do);
  CHECK(end_of(std::string(upgrade) + hook) == refused);
  CHECK(end_of(std::string(upgrade) + hook + started) == broken);
  CHECK(end_of(std::string(upgrade) + hook + started + finished) == UpgradeSeen::End::completed);
  CHECK(end_of(std::string(upgrade) + hook + upgrade + started + finished) == UpgradeSeen::End::completed);
  CHECK(last_upgrade(upgrade).time == "2026-11-29T10:00:00+0000");
}

TEST_CASE("pacman log: a later command does not finish an upgrade that was refused") {
  const auto log = std::string(upgrade) + hook +
                   "[2026-11-29T11:00:00+0000] [PACMAN] Running 'pacman -S vim'\n" + started + finished;
  CHECK(end_of(log) == UpgradeSeen::End::refused);
}

TEST_CASE("pacman log: packages after a refresh without an upgrade are a partial upgrade") {
  const std::string installed = "[2026-11-29T09:01:00+0000] [ALPM] upgraded cuda (12.3.0-1 -> 13.0.0-1)\n";
  CHECK(partial_upgrade(synchronized + installed).packages == std::vector<std::string>{"cuda"});
  CHECK(partial_upgrade(std::string(synchronized) + upgrade + installed).packages.empty());
  CHECK(partial_upgrade(installed).packages.empty());
  CHECK(partial_upgrade(synchronized + installed + installed).packages == std::vector<std::string>{"cuda"});
  CHECK(partial_upgrade("garbage\n[\n[] [] \n").packages.empty());
}

TEST_CASE("pacman log: a keyring may come alone, and what cudapin changes is no upgrade") {
  const std::string keyring =
      "[2026-11-29T09:01:00+0000] [ALPM] upgraded archlinux-keyring (20261001-1 -> 20261101-1)\n";
  const std::string ours =
      "[2026-11-29T09:02:00+0000] [CUDAPIN] changing packages; more in: cudapin history\n"
      "[2026-11-29T09:02:00+0000] [ALPM] transaction started\n"
      "[2026-11-29T09:02:01+0000] [ALPM-SCRIPTLET] hello\n"
      "[2026-11-29T09:02:01+0000] [ALPM] downgraded cuda (13.0.0-1 -> 11.1.0-2)\n"
      "[2026-11-29T09:02:02+0000] [ALPM] transaction completed\n";
  CHECK(partial_upgrade(synchronized + keyring + ours).packages.empty());
  const std::string later =
      "[2026-11-29T09:03:00+0000] [PACMAN] Running 'pacman -S htop'\n"
      "[2026-11-29T09:03:01+0000] [ALPM] upgraded htop (3.4.0-1 -> 3.4.1-1)\n";
  CHECK(partial_upgrade(synchronized + ours + later).packages == std::vector<std::string>{"htop"});
}

}  // namespace cudapin

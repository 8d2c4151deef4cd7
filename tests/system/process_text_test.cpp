// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/process_text.hpp"

#include <doctest/doctest.h>

namespace cudapin::process_text {

TEST_CASE("process text: where a process runs is told by its cgroup") {
  const std::string id = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
  struct Row {
    std::string cgroup;
    std::string place;
  };
  for (const auto& row :
       {Row{"0::/user.slice/user-1000.slice/session-2.scope\n", ""},
        Row{"0::/system.slice/docker-" + id + ".scope\n", "docker 0123456789ab"},
        Row{"12:devices:/docker/" + id + "\n11:cpu:/docker/" + id + "\n", "docker 0123456789ab"},
        Row{"0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" + id + ".scope/container\n",
            "podman 0123456789ab"},
        Row{"0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-" + id + ".scope\n",
            "containerd 0123456789ab"},
        Row{"0::/system.slice/slurmstepd.scope/job_77/step_0/user/task_0\n", "slurm job 77"},
        Row{"9:freezer:/slurm/uid_1000/job_1234/step_batch\n", "slurm job 1234"},
        Row{"0::/lxc.payload.node1/system.slice\n", "lxc node1"},
        Row{"0::/machine.slice/machine-build.scope\n", "machine build"},
        Row{"0::/x/" + id.substr(1) + "\n", ""}, Row{"", ""}})
    CHECK_MESSAGE(place(row.cgroup) == row.place, row.cgroup);
}

TEST_CASE("process text: a variable is found whole or not at all") {
  const std::string environ("PATH=/a:/b\0CUDA_HOME=\0MYPATH=/c\0USER=x=y", 41);
  CHECK(variable(environ, "PATH") == "/a:/b");
  CHECK(variable(environ, "USER") == "x=y");
  CHECK(variable(environ, "CUDA_HOME").empty());
  CHECK(variable(environ, "HOME").empty());
  CHECK(variable("", "PATH").empty());
}

TEST_CASE("process text: words lines and users") {
  CHECK(word("  a b\tc\n", 2) == "c");
  CHECK(word("a", 3).empty());
  CHECK(line_after("x\nbtime 5\n", "btime") == " 5");
  CHECK(name_in("5 (a) b) R 1") == "a) b");
  CHECK(user_name("root:x:0:0::/:/bin/sh\nbroken\n", 0) == "root");
  CHECK(!user_name("root:x:0:0::/:/bin/sh\n", 1));
}

}  // namespace cudapin::process_text

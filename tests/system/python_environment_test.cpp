// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/python_environment.hpp"

#include "core/error.hpp"
#include "support/test_folder.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace cudapin {

namespace {

/// A virtual environment of empty files.
struct Venv {
  Venv() { write_text(folder / "pyvenv.cfg", "home = /usr/bin\n"); }
  void file(const std::string& path, std::string_view text = "") const {
    write_text(folder / ("lib/python3.8/site-packages/" + path), text);
  }
  void wheel(const std::string& name) const { file(name + ".dist-info/METADATA"); }
  PythonEnvironment read() const { return read_python_environment(folder.path().string()); }

  TestFolder folder;
};

const FrameworkSeen* find(const PythonEnvironment& environment, std::string_view name) {
  const auto found = std::ranges::find(environment.frameworks, name, &FrameworkSeen::name);
  return found == environment.frameworks.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("python environment: torch tells its CUDA by its file and else by its tag") {
  const Venv venv;
  venv.wheel("torch-1.7.0+cu110");
  auto environment = venv.read();
  REQUIRE(find(environment, "torch"));
  CHECK(find(environment, "torch")->version == "1.7.0");
  CHECK(find(environment, "torch")->cuda == "11.0");
  venv.file("torch/version.py", "from typing import Optional\ncuda: Optional[str] = '11.1'\nhip = None\n");
  environment = venv.read();
  CHECK(find(environment, "torch")->cuda == "11.1");
  CHECK(find(environment, "torch")->path.ends_with("torch/version.py"));
}

TEST_CASE("python environment: a build for processors is told from a default one") {
  const Venv venv;
  venv.wheel("torch-2.3.0+cpu");
  CHECK(find(venv.read(), "torch")->cpu_only);
  const Venv plain;
  plain.wheel("torch-2.3.0");
  const auto environment = plain.read();
  CHECK(!find(environment, "torch")->cpu_only);
  CHECK(find(environment, "torch")->cuda == "12.1");
  plain.file("torch/version.py", "cuda = None\n");
  CHECK(find(plain.read(), "torch")->cpu_only);
}

TEST_CASE("python environment: tensorflow and jax and mxnet and apex are found") {
  const Venv venv;
  venv.wheel("tensorflow-2.4.0");
  venv.wheel("jaxlib-0.4.30");
  venv.wheel("jax_cuda12_plugin-0.4.30");
  venv.wheel("mxnet_cu101-1.7.0");
  venv.file("apex-0.1-py3.8.egg-info/PKG-INFO");
  const auto environment = venv.read();
  CHECK(find(environment, "tensorflow")->cuda == "11.0");
  CHECK(find(environment, "jax")->cuda == "12");
  CHECK(find(environment, "mxnet")->cuda == "10.1");
  CHECK(find(environment, "apex")->version == "0.1");
}

TEST_CASE("python environment: what it carries is read by the names of its wheels") {
  const Venv venv;
  venv.wheel("torch-2.3.0");
  venv.wheel("nvidia_cudnn_cu12-8.9.2.26");
  venv.wheel("nvidia_cuda_runtime_cu12-12.1.105");
  const auto environment = venv.read();
  CHECK(environment.cudnn == "8.9.2.26");
  CHECK(environment.cudart == "12.1.105");
}

TEST_CASE("python environment: a conda prefix tells by its metadata") {
  const TestFolder folder;
  write_text(folder / "conda-meta/pytorch-1.7.0-py3.8_cuda11.0.221_cudnn8.0.3_0.json", "{}");
  write_text(folder / "conda-meta/cudatoolkit-11.0.221-h6bb024c_0.json", "{}");
  const auto environment = read_python_environment(folder.path().string());
  REQUIRE(find(environment, "torch"));
  CHECK(find(environment, "torch")->cuda == "11.0.221");
  CHECK(find(environment, "torch")->cudnn == "8.0.3");
  CHECK(environment.cudart == "11.0.221");
}

TEST_CASE("python environment: a folder that is neither is refused and a link out of it leads nowhere") {
  const TestFolder folder;
  CHECK_THROWS_AS(read_python_environment(folder.path().string()), Error);
  CHECK_THROWS_AS(read_python_environment((folder / "gone").string()), Error);
  const Venv venv;
  venv.wheel("torch-1.7.0+cu110");
  write_text(folder / "version.py", "cuda = '9.9'\n");
  venv.file("torch/keep");
  std::filesystem::create_symlink(folder / "version.py",
                                  venv.folder / "lib/python3.8/site-packages/torch/version.py");
  CHECK(find(venv.read(), "torch")->cuda == "11.0");
}

}  // namespace cudapin

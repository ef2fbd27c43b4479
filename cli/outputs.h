// outputs.h: no command writes over a file that it reads, or writes two things to one file.
#pragma once

#include <string>
#include <vector>

namespace octet::cli {

// A file of the command line. Without a name it was not given; "-" is standard output.
struct NamedFile {
  std::string option;  // as the user knows it: "--json"
  std::string path;
};

// Whether two names mean one file, through links and whatever the way to it: of files that are there, device and number
// decide; of others, the folder and the name in it. Devices and pipes are no file in this sense: each takes what it is
// given, and so does standard output.
bool is_same_file(const std::string& a, const std::string& b);

// Throws kUsage, naming both, when an output is an input, or lies in a folder that is one, or when two outputs are one
// file. Call it before anything is read: what fails then has cost nothing.
void check_outputs(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs);
// Inputs that become known later, such as the other files of a model: held to the outputs of earlier calls, as outputs of
// later calls are held to them.
void add_inputs(const std::vector<NamedFile>& inputs);
// Throws kUsage where the folder that an output is to stand in is not there: for commands that compute for long.
void require_folders(const std::vector<NamedFile>& outputs);
// Only that two outputs are not one file.
void check_outputs_differ(const std::vector<NamedFile>& outputs);

}  // namespace octet::cli

// report/html.h: the report page as one file: the shell that web/ is built to, with the data inside.
// World: offline. Pure functions.
#pragma once
#include <string>
#include <string_view>

namespace tenure::report {

inline constexpr std::string_view kDataMark = "@TENURE_DATA@";  // in the shell, where the data goes

// The shell of this build; empty where it was built without Node.js.
std::string_view page_shell();

// The document as base64 of gzip: no character of it can end the element that holds it. Empty: the shell has no mark.
std::string html_page(std::string_view shell, std::string_view document);

}  // namespace tenure::report

// StubbornCurl: a libcurl that refuses an option and reaches nobody. It is found under libcurl's name, never linked.
//
//     STUBBORN_CURL_LOG=FILE       writes the number of each option that is set, a line each
//     STUBBORN_CURL_REFUSES=N      refuses option N, as a libcurl does that is older than the option

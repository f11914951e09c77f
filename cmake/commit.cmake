# Writes the commit of SOURCE as a C string to OUTPUT, when it has changed. Run at each build: cmake -P.
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
execute_process(COMMAND git -C ${SOURCE} diff --quiet HEAD -- src include python RESULT_VARIABLE changed OUTPUT_QUIET ERROR_QUIET)
if(commit AND changed EQUAL 1)
  string(APPEND commit "+")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "\"${commit}\"\n")

#include "traces/reader.h"

namespace fcsim::traces {

TraceReader::~TraceReader() = default;

}  // namespace fcsim::traces

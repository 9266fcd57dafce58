// A recording that ran its command several times, with an administrator's steps between.
#pragma once

#include "sim/configuration/configuration.h"
#include "sim/engine/engine.h"
#include "sim/engine/prediction.h"
#include "sim/replay/decoder.h"

namespace fcsim::replay {

// Predicts each run of the trace that `decoder` is about to read, and between them performs
// `configuration.stages`. A step that is not understood changes nothing and is told under
// `unsupported`. The answer lacks the decoder's reservations.
//
// When the steps ran is not in a trace: they are taken to follow the end of the run before. The
// counters of a run are read at its end, those of the last at the end of the observation.
//
// Throws InputError where the trace holds another number of runs, and std::invalid_argument where
// the kernel refuses a mount.
engine::Prediction predict_stages(TraceDecoder& decoder, const Inputs& inputs,
                                  const configuration::LoadedConfiguration& configuration,
                                  engine::EngineOptions options);

}  // namespace fcsim::replay

/* The list of experiments, in the order in which they are shown. */
#include "experiments.h"

const experiment experiments[] = {
    {"e1", "Constant acceleration", experiment_acceleration},
    {"e2", "A damped spring", experiment_damped},
    {"e3", "Amplitude and phase of an oscillator", experiment_oscillator},
    {"e4", "VDrift's oscillating springs", experiment_spring},
    {"e5", "VDrift's critically damped springs", experiment_critical},
    {"ranking", "VDrift's ranking", experiment_ranking},
    {"e6", "Brown's contributions", experiment_contributions},
    {"e7", "Work and precision", experiment_work},
    {"e8", "Methods in exact arithmetic", experiment_oracles},
    {"stability", "The stability map", experiment_stability},
    {"energy", "Energy over ten million steps", experiment_energy},
    {"compensation", "Float, plain and compensated", experiment_compensation},
    {0},
};

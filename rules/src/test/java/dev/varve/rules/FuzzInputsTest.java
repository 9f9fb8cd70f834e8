package dev.varve.rules;

import dev.varve.fuzz.FuzzInputs;

/** Runs the inputs under this module's resource {@code fuzz}. */
class FuzzInputsTest extends FuzzInputs {}

package dev.varve.layout.block;

import dev.varve.fuzz.FuzzInputs;

/** Runs the inputs under this module's resource {@code fuzz}. */
class FuzzInputsTest extends FuzzInputs {}

/**
 * Relabelling: rules in the words of Prometheus' {@code relabel_config} that rewrite a set of
 * labels or drop what carries it.
 *
 * <p>Here are the rules and what they do to labels, as Prometheus 3.5 does it, and nothing of where
 * labels come from: whoever takes points at the door, scrapes targets or sends alerts hands labels
 * in and takes labels out. No file is read here, so that a rule says what is wrong with it and its
 * reader where it stood.
 */
@NullMarked
package dev.varve.server.relabel;

import org.jspecify.annotations.NullMarked;

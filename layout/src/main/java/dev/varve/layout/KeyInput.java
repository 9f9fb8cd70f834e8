package dev.varve.layout;

import dev.varve.model.Kind;
import dev.varve.model.Series;

/** The inputs of a row key. Mutable, so that one instance serves a whole group. */
public final class KeyInput {
  private Binding binding;
  private long time;
  private Kind kind = Kind.DOUBLE;
  private String field = Series.DEFAULT_FIELD;
  private long stamp;

  public KeyInput(Binding binding) {
    this.binding = binding;
  }

  public KeyInput binding(Binding value) {
    binding = value;
    return this;
  }

  public KeyInput time(long value) {
    time = value;
    return this;
  }

  public KeyInput kind(Kind value) {
    kind = value;
    return this;
  }

  public KeyInput field(String value) {
    field = value;
    return this;
  }

  public KeyInput stamp(long value) {
    stamp = value;
    return this;
  }

  public Binding binding() {
    return binding;
  }

  /** Returns the sample's time; parts that represent a bucket round it down themselves. */
  public long time() {
    return time;
  }

  public Kind kind() {
    return kind;
  }

  public String field() {
    return field;
  }

  /** Returns the acceptance stamp, for parts that represent a sequence. */
  public long stamp() {
    return stamp;
  }
}

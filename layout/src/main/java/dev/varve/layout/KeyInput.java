package dev.varve.layout;

import dev.varve.model.Kind;

/** What a row key is made of. Mutable, so that one serves a whole group. */
public final class KeyInput {
  private Binding binding;
  private long time;
  private Kind kind = Kind.DOUBLE;
  private String field = dev.varve.model.Series.DEFAULT_FIELD;
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

  /** The instant of a sample; parts that carry a bucket round it down themselves. */
  public long time() {
    return time;
  }

  public Kind kind() {
    return kind;
  }

  public String field() {
    return field;
  }

  /** The order of acceptance, for parts that carry a sequence. */
  public long stamp() {
    return stamp;
  }
}

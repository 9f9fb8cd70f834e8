package dev.varve.formats.parquet;

import java.util.List;

/** The columns of a file: the leaves of its schema, in their order. */
enum Leaf {
  METRIC(Type.BYTE_ARRAY, "metric"),
  LABEL_NAME(Type.BYTE_ARRAY, "labels.key_value.key"),
  LABEL_VALUE(Type.BYTE_ARRAY, "labels.key_value.value"),
  TIME(Type.INT64, "time"),
  VALUE_DOUBLE(Type.DOUBLE, "value_double"),
  VALUE_INT64(Type.INT64, "value_int64"),
  VALUE_STRING(Type.BYTE_ARRAY, "value_string"),
  FIELD(Type.BYTE_ARRAY, "field"),
  RESOURCE_NAME(Type.BYTE_ARRAY, "resource.key_value.key"),
  RESOURCE_VALUE(Type.BYTE_ARRAY, "resource.key_value.value");

  /** A physical type, with Parquet's number of it. */
  enum Type {
    INT64(2),
    DOUBLE(5),
    BYTE_ARRAY(6);

    private final int number;

    Type(int number) {
      this.number = number;
    }

    int number() {
      return number;
    }
  }

  private final Type type;
  private final String path;

  /**
   * @param path the names of the nodes of the schema, with dots between
   */
  Leaf(Type type, String path) {
    this.type = type;
    this.path = path;
  }

  Type type() {
    return type;
  }

  /** Returns whether a row has any number of values, as in a map. */
  boolean repeats() {
    return path().size() > 1;
  }

  List<String> path() {
    return List.of(path.split("\\.", -1));
  }
}

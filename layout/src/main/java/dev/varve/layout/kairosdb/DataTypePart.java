package dev.varve.layout.kairosdb;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.KeyPart;
import dev.varve.model.Kind;

/** The {@link DataType} in a row key. */
final class DataTypePart implements KeyPart {
  private final ColumnUnit unit;

  DataTypePart(ColumnUnit unit) {
    this.unit = unit;
  }

  @Override
  public String label() {
    return "data type";
  }

  @Override
  public Role role() {
    return Role.KIND;
  }

  @Override
  public void encode(KeyInput input, KeyBytes out) {
    out.raw(DataType.of(input.kind()).inKey());
  }

  @Override
  public int decode(byte[] row, int from, int to, KeyOutput out) {
    DataType type = typeAt(row, from, to);
    Kind kind = type.kind();
    if (kind != null) {
      out.kind(kind);
    }
    return from + type.inKey().length;
  }

  @Override
  public int skip(byte[] row, int from, int to) {
    return from + typeAt(row, from, to).inKey().length;
  }

  /**
   * Returns the data type of the row.
   *
   * @throws DamagedCellException if the type is unknown, or missing although the unit is not {@link
   *     ColumnUnit#LEGACY}
   */
  DataType typeAt(byte[] row, int from, int to) {
    DataType type = DataType.read(row, from, to);
    if (type == DataType.UNTYPED && unit != ColumnUnit.LEGACY) {
      throw new DamagedCellException(
          ("row key: byte %d is %02x, where 00 should start the data type; rows without a type are"
                  + " read with unit=legacy")
              .formatted(from, row[from]));
    }
    return type;
  }

  @Override
  public String show(byte[] row, int from, int to) {
    return from == to ? "none (written before 0.9.4)" : DataType.read(row, from, to).typeName();
  }
}

package dev.varve.layout.contract;

import dev.varve.layout.KeyBytes;
import dev.varve.layout.Layout;
import dev.varve.model.Bytes;

/** Computes the signature of a row. */
final class SignatureOf {
  private SignatureOf() {}

  static Bytes row(Layout layout, Bytes row) {
    byte[] bytes = row.toArray();
    KeyBytes out = new KeyBytes();
    layout.rows().signature(bytes, 0, bytes.length, out);
    return out.toBytes();
  }
}

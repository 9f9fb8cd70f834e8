package dev.varve.engine;

import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.ReadCost;
import dev.varve.store.ResumeToken;
import org.jspecify.annotations.Nullable;

/** A cursor that delegates to another one. */
class CursorAround implements CellCursor {
  final CellCursor cursor;

  CursorAround(CellCursor cursor) {
    this.cursor = cursor;
  }

  @Override
  public boolean next(CellBatch into) {
    return cursor.next(into);
  }

  @Override
  public @Nullable ResumeToken token() {
    return cursor.token();
  }

  @Override
  public ReadCost cost() {
    return cursor.cost();
  }

  @Override
  public void cancel() {
    cursor.cancel();
  }

  @Override
  public void close() {
    cursor.close();
  }
}

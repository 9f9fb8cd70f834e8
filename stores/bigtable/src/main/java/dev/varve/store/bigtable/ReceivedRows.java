package dev.varve.store.bigtable;

import com.google.cloud.bigtable.data.v2.models.RowAdapter;
import com.google.protobuf.ByteString;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Builds rows from what the client receives, without allocating an object per cell. */
final class ReceivedRows implements RowAdapter<ReceivedRow> {
  private final TableMapping table;

  ReceivedRows(TableMapping table) {
    this.table = table;
  }

  @Override
  public RowBuilder<ReceivedRow> createRowBuilder() {
    return new Builder();
  }

  /** The client reports the progress of a scan without results as a row without cells. */
  @Override
  public boolean isScanMarkerRow(ReceivedRow row) {
    return row.size() == 0;
  }

  @Override
  public ByteString getKey(ReceivedRow row) {
    return ByteString.copyFrom(row.keyBytes());
  }

  private final class Builder implements RowBuilder<ReceivedRow> {
    private @Nullable ReceivedRow row;

    private ReceivedRow row() {
      ReceivedRow started = row;
      if (started == null) {
        throw new IllegalStateException("a cell before its row");
      }
      return started;
    }

    @Override
    public void startRow(ByteString key) {
      row = new ReceivedRow(key);
    }

    @Override
    public void startCell(
        String family, ByteString qualifier, long timestamp, List<String> labels, long size) {
      row().startCell(table.place(family), qualifier, timestamp);
    }

    @Override
    public void cellValue(ByteString value) {
      row().append(value);
    }

    @Override
    public void finishCell() {
      row().finishCell();
    }

    @Override
    public ReceivedRow finishRow() {
      ReceivedRow finished = row();
      finished.sort();
      row = null;
      return finished;
    }

    @Override
    public void reset() {
      row = null;
    }

    @Override
    public ReceivedRow createScanMarkerRow(ByteString key) {
      return new ReceivedRow(key);
    }
  }
}

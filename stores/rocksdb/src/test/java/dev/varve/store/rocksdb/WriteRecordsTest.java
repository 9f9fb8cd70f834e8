package dev.varve.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Bytes;
import dev.varve.store.rocksdb.wal.GroupMark;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/** Batches have RocksDB's format; this test detects a RocksDB version that changes it. */
class WriteRecordsTest {
  private static final byte[] CELLS = "cells".getBytes(StandardCharsets.US_ASCII);

  @TempDir private Path directory;

  @Test
  void batchIsWhatTheLibraryMakes() throws RocksDBException {
    RocksDB.loadLibrary();
    List<ColumnFamilyHandle> families = new ArrayList<>();
    try (DBOptions options =
            new DBOptions().setCreateIfMissing(true).setCreateMissingColumnFamilies(true);
        RocksDB db =
            RocksDB.open(
                options,
                directory.toString(),
                List.of(
                    new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY),
                    new ColumnFamilyDescriptor(CELLS)),
                families);
        WriteBatch batch = new WriteBatch()) {
      ColumnFamilyHandle cells = families.get(1);
      assertThat(db.isOwningHandle()).isTrue();
      WriteRecords records = new WriteRecords(0);
      GroupMark mark = new GroupMark(0x1122334455667788L, 0x18bcfe56800L);
      for (int length : new int[] {0, 1, 127, 128, 16_383, 16_384, 3_000_000}) {
        byte[] value = new byte[length];
        byte[] key = new byte[Math.min(length, 20_000) + 1];
        records.put(cells.getID(), key(key), length).add(value, 0, length);
        records.delete(cells.getID(), key(key));
        records.deleteRange(cells.getID(), key(new byte[] {1}), key(key));
      }
      byte[] made = records.toBatch(mark);
      batch.putLogData(Arrays.copyOfRange(made, 14, 12 + GroupMark.LENGTH));
      for (int length : new int[] {0, 1, 127, 128, 16_383, 16_384, 3_000_000}) {
        byte[] value = new byte[length];
        byte[] key = new byte[Math.min(length, 20_000) + 1];
        batch.put(cells, key, value);
        batch.delete(cells, key);
        batch.deleteRange(cells, new byte[] {1}, key);
      }
      assertThat(Bytes.of(made)).isEqualTo(Bytes.of(batch.data()));
      families.forEach(ColumnFamilyHandle::close);
    }
  }

  private static GrowingBytes key(byte[] bytes) {
    GrowingBytes key = new GrowingBytes(bytes.length);
    key.add(bytes, 0, bytes.length);
    return key;
  }
}

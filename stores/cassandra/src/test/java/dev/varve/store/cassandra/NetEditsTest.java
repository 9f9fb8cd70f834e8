package dev.varve.store.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.MutationBatch;
import dev.varve.store.cassandra.NetEdits.Delete;
import org.junit.jupiter.api.Test;

/** Family 0 holds one cell per column, family 1 many. */
class NetEditsTest {
  private static final Bytes ROW = Bytes.utf8("r");
  private static final Bytes A = Bytes.utf8("a");
  private static final Bytes B = Bytes.utf8("b");
  private static final Bytes C = Bytes.utf8("c");

  private final MutationBatch batch = new MutationBatch();

  private void put(int family, Bytes qualifier, long time) {
    batch.put(ROW, family, qualifier, time, Bytes.utf8("v"));
  }

  private NetEdits net() {
    return NetEdits.of(batch, 0, batch.size(), family -> family == 1);
  }

  @Test
  void keepsTheLastPutOfAColumn() {
    put(0, A, 1);
    put(0, B, 2);
    put(0, A, 3);
    assertThat(net().puts()).containsExactlyInAnyOrder(1, 2);
    assertThat(net().firstPut(0)).isEqualTo(2);
    assertThat(net().firstPut(1)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void keepsEveryTimeOfAColumnThatHoldsMany() {
    put(1, A, 1);
    put(1, A, 2);
    put(1, A, 1);
    assertThat(net().puts()).containsExactlyInAnyOrder(2, 1);
  }

  @Test
  void dropsPutsThatALaterEditDeletes() {
    put(0, A, 1);
    put(0, B, 2);
    put(1, A, 5);
    put(1, A, 7);
    batch.deleteQualifiers(ROW, 0, A, B);
    batch.deleteColumn(ROW, 1, A, new TimeRange(5, 6));
    put(0, A, 3);
    assertThat(net().puts()).containsExactlyInAnyOrder(1, 3, 6);
    assertThat(net().deletes()).containsExactly(new Delete(4, true), new Delete(5, false));
  }

  @Test
  void dropsEveryPutBeforeADeleteOfTheRow() {
    put(0, A, 1);
    put(1, A, 1);
    batch.deleteRow(ROW);
    put(1, B, 1);
    assertThat(net().puts()).containsExactly(3);
    assertThat(net().puts(0, A)).isFalse();
  }

  @Test
  void decidesADeleteByTimeByThePutBeforeIt() {
    put(0, A, 7);
    batch.deleteColumn(ROW, 0, A, new TimeRange(0, 7));
    put(0, B, 8);
    batch.deleteColumn(ROW, 0, B, new TimeRange(0, 9));
    batch.deleteColumn(ROW, 0, C, new TimeRange(0, 9));
    assertThat(net().puts()).containsExactly(0);
    assertThat(net().deletes()).containsExactly(new Delete(3, true), new Delete(4, false));
  }

  @Test
  void deletesByTimeNothingWhereAllIsDeletedAlready() {
    batch.deleteFamily(ROW, 0);
    batch.deleteColumn(ROW, 0, A, new TimeRange(0, 9));
    assertThat(net().deletes()).containsExactly(new Delete(0, true));
  }
}

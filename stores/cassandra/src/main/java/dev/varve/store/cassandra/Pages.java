package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.Statement;
import dev.varve.store.RowOutcome.Status;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one request, page by page. Each page is requested when the preceding one is begun, so
 * at most two are in memory. If a page does not arrive, it is requested again with fewer rows.
 */
final class Pages {
  private final Requests requests;
  private final ReadWatch watch;
  private final PageSize size;
  private Statement<?> statement;
  private @Nullable CompletableFuture<AsyncResultSet> coming;
  private Iterator<Row> page = Collections.emptyIterator();
  private @Nullable Row head;

  /**
   * Sends the request for the first page.
   *
   * @param size shared by similar reads
   */
  Pages(Requests requests, ReadWatch watch, PageSize size, Statement<?> statement) {
    this.requests = requests;
    this.watch = watch;
    this.size = size;
    this.statement = statement;
    this.coming = send();
  }

  /** Reads all rows, for a caller that never cancels. */
  static Pages ofAll(Requests requests, Statement<?> statement) {
    return new Pages(
        requests,
        requests::ensureOpen,
        new PageSize(requests.options().pageCells(), new CellWeight()),
        statement);
  }

  private CompletableFuture<AsyncResultSet> send() {
    statement = statement.setPageSize(size.cells());
    return requests.send(statement, watch::ensureWanted);
  }

  /** Returns the current row; null after the last. */
  @Nullable Row peek() {
    while (head == null) {
      if (page.hasNext()) {
        head = page.next();
      } else if (coming != null) {
        turn(coming);
      } else {
        return null;
      }
    }
    return head;
  }

  void pop() {
    head = null;
  }

  private void turn(CompletableFuture<AsyncResultSet> answer) {
    AsyncResultSet result = requests.execute(answer, this::again, watch::ensureWanted);
    watch.countRequest();
    size.learn(result.remaining(), result.getExecutionInfo().getResponseSizeInBytes());
    page = result.currentPage().iterator();
    ByteBuffer next = result.getExecutionInfo().getPagingState();
    coming = null;
    if (next != null) {
      statement = statement.setPagingState(next);
      coming = send();
    }
  }

  private @Nullable Statement<?> again(Throwable failure, int attempt) {
    boolean tooLong = Failures.isTooLong(failure);
    Status status = Failures.status(failure);
    if (!tooLong && (status == Status.REJECTED || attempt >= requests.options().retries())) {
      return null;
    }
    if ((tooLong || status == Status.UNKNOWN) && !size.shrink() && tooLong) {
      return null;
    }
    statement = statement.setPageSize(size.cells());
    return statement;
  }
}

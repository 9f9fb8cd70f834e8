package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.Statement;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one request, page by page. The next page is asked for when the one before it has been
 * begun, so that two of them are in memory at most.
 */
final class Pages {
  private final Requests requests;
  private final ReadWatch watch;
  private Statement<?> statement;
  private @Nullable CompletableFuture<AsyncResultSet> coming;
  private Iterator<Row> page = Collections.emptyIterator();
  private @Nullable Row head;

  /** Sends the request for the first page. */
  Pages(Requests requests, ReadWatch watch, Statement<?> statement) {
    this.requests = requests;
    this.watch = watch;
    this.statement = statement;
    this.coming = requests.send(statement);
  }

  /** The row at hand; null behind the last. */
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
    AsyncResultSet result = requests.execute(answer, statement, watch::ensureWanted);
    watch.countRequest();
    page = result.currentPage().iterator();
    ByteBuffer next = result.getExecutionInfo().getPagingState();
    coming = null;
    if (next != null) {
      statement = statement.setPagingState(next);
      coming = requests.send(statement);
    }
  }
}

package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Statement;
import dev.varve.store.Admission;
import dev.varve.store.MutationBatch;
import dev.varve.store.RowOutcome;
import dev.varve.store.RowOutcome.Status;
import dev.varve.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Applies one batch with one request per mutation, many of them concurrently. Failed requests are
 * resent unchanged, with the same write times, so repeated delivery is harmless.
 */
final class Application {
  private final Requests requests;
  private final TableEntry entry;
  private final MutationBatch batch;
  private final MutationStatements statements;
  private final ConsistencyLevel level;

  /** A mutation in progress. */
  private static final class Pending {
    private final @Nullable Statement<?> statement;
    private @Nullable CompletableFuture<AsyncResultSet> answer;
    private @Nullable RowOutcome outcome;

    /** Whether a failed attempt may have been applied. */
    private boolean maybeApplied;

    private Pending(@Nullable Statement<?> statement, @Nullable RowOutcome outcome) {
      this.statement = statement;
      this.outcome = outcome;
    }

    private Statement<?> statement() {
      return Objects.requireNonNull(statement, "a mutation under way has its statement");
    }
  }

  Application(
      Requests requests,
      TableEntry entry,
      List<? extends FamilyTable> families,
      MutationBatch batch) {
    this.requests = requests;
    this.entry = entry;
    this.batch = batch;
    this.statements = new MutationStatements(requests, families, batch);
    this.level = DefaultConsistencyLevel.valueOf(requests.options().consistency().write());
  }

  /**
   * Applies the mutations that the admission accepts. The outcomes are empty if all were applied.
   */
  List<RowOutcome> run(Admission admission) {
    List<Pending> mutations = new ArrayList<>();
    int end;
    for (int first = 0; first < batch.size(); first = end) {
      end = batch.mutationEnd(first);
      mutations.add(start(admission, first, end));
    }
    for (int attempt = 0; !settle(mutations, attempt); attempt++) {
      requests.pause(attempt, requests::ensureOpen);
      sendAgain(mutations);
    }
    return outcomes(mutations);
  }

  private Pending start(Admission admission, int first, int end) {
    if (entry.isDropped()) {
      return new Pending(null, new RowOutcome(Status.NOT_APPLIED, entry.whyGone()));
    }
    String refusal = admission.refusal(batch, first, end);
    if (refusal != null) {
      return new Pending(null, new RowOutcome(Status.REJECTED, refusal));
    }
    try {
      Statement<?> statement = statements.of(first, end);
      if (statement == null) {
        return new Pending(null, RowOutcome.APPLIED);
      }
      Pending pending = new Pending(statement.setConsistencyLevel(level), null);
      pending.answer = requests.sendWrite(pending.statement());
      return pending;
    } catch (IllegalArgumentException e) {
      return new Pending(null, new RowOutcome(Status.REJECTED, e.getMessage()));
    } catch (StoreException e) {
      requests.ensureOpen();
      // A read or the preparation of the statement failed: nothing was written.
      return new Pending(null, new RowOutcome(Status.NOT_APPLIED, entry.failure(e).getMessage()));
    }
  }

  /** Waits for all answers; returns whether every mutation has its outcome. */
  private boolean settle(List<Pending> mutations, int attempt) {
    boolean settled = true;
    for (Pending mutation : mutations) {
      CompletableFuture<AsyncResultSet> answer = mutation.answer;
      if (mutation.outcome != null || answer == null) {
        continue;
      }
      try {
        requests.await(answer, requests::ensureOpen);
        mutation.outcome = RowOutcome.APPLIED;
      } catch (ExecutionException e) {
        requests.ensureOpen();
        failed(mutation, Failures.cause(e), attempt);
        settled &= mutation.outcome != null;
      }
    }
    return settled;
  }

  private void failed(Pending mutation, Throwable failure, int attempt) {
    Status status = Failures.status(failure);
    mutation.maybeApplied |= status == Status.UNKNOWN;
    if (status != Status.REJECTED && attempt < requests.options().retries()) {
      return;
    }
    status = Failures.ending(failure, mutation.maybeApplied);
    StoreException words = entry.failure(requests.failure(failure, status == Status.UNKNOWN));
    mutation.outcome = new RowOutcome(status, words.getMessage());
  }

  private void sendAgain(List<Pending> mutations) {
    for (Pending mutation : mutations) {
      if (mutation.outcome == null) {
        requests.countRetry();
        mutation.answer = requests.sendWrite(mutation.statement());
      }
    }
  }

  private static List<RowOutcome> outcomes(List<Pending> mutations) {
    List<RowOutcome> outcomes = new ArrayList<>(mutations.size());
    boolean allApplied = true;
    for (Pending mutation : mutations) {
      RowOutcome outcome = mutation.outcome;
      if (outcome == null) {
        throw new IllegalStateException("a mutation without an outcome");
      }
      outcomes.add(outcome);
      allApplied &= outcome.applied();
    }
    return allApplied ? List.of() : outcomes;
  }
}

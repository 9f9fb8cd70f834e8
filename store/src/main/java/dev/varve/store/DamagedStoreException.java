package dev.varve.store;

import dev.varve.model.ErrorKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if a store refuses to open or to answer because its files are damaged: continuing would
 * silently lose acknowledged writes, or return a partial answer. The message names the file, the
 * damaged place and the remedies.
 */
public final class DamagedStoreException extends StoreException {
  private static final long serialVersionUID = 1;

  private final transient List<StoreDamage> damage;

  public DamagedStoreException(
      String message, List<StoreDamage> damage, @Nullable Throwable cause) {
    super(message, cause);
    this.damage = List.copyOf(damage);
  }

  /** Returns the damage found; at least one entry. */
  public List<StoreDamage> damage() {
    return damage;
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.CORRUPT;
  }
}

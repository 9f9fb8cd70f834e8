package dev.varve.store;

import dev.varve.model.ErrorKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A store refuses to open or to answer because its files are damaged: going on would lose
 * acknowledged writes silently, or give a partial answer. The message names the file, the place and
 * the ways out.
 */
public final class DamagedStoreException extends StoreException {
  private static final long serialVersionUID = 1;

  private final transient List<StoreDamage> damage;

  public DamagedStoreException(
      String message, List<StoreDamage> damage, @Nullable Throwable cause) {
    super(message, cause);
    this.damage = List.copyOf(damage);
  }

  /** The damage; at least one entry. */
  public List<StoreDamage> damage() {
    return damage;
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.CORRUPT;
  }
}

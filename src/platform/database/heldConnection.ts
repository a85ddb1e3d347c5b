// A connection of the pool while works on it are under way. It returns to the pool without an open transaction.
import type { Pool, PoolClient } from 'pg';

export class HeldConnection {
  readonly #client: PoolClient;
  #underWay = 0;
  #failed = false;
  #broken: Error | undefined;
  /** A connection that is lost between two statements emits it here; without a listener the error would end the process. */
  readonly #onError = (error: Error): void => void (this.#broken = error);

  static async of(pool: Pool): Promise<HeldConnection> {
    return new HeldConnection(await pool.connect());
  }

  private constructor(client: PoolClient) {
    this.#client = client;
    client.on('error', this.#onError);
  }

  /** The number of works that use it now. At zero it has returned to the pool. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Whether any work on it has thrown. */
  get failed(): boolean {
    return this.#failed;
  }

  /** When a work throws, the work that ends last on the connection rolls back the open transaction. */
  async use<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    this.#underWay += 1;
    try {
      return await work(this.#client);
    } catch (error) {
      this.#failed = true;
      // On a network that has gone silent, ROLLBACK would wait for as long again.
      if (isSilence(error)) this.#broken = error;
      throw error;
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) await this.#giveBack();
    }
  }

  async #giveBack(): Promise<void> {
    if (this.#failed && !this.#broken) {
      await this.#client.query('ROLLBACK').catch((failure: Error) => (this.#broken = failure));
    }
    this.#client.off('error', this.#onError);
    this.#client.release(this.#broken);
  }
}

function isSilence(error: unknown): error is Error {
  return error instanceof Error && error.message === 'Query read timeout';
}

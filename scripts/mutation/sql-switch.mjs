// Puts the mutant of an SQL function into the databases of a test file, and takes it out again.
import pg from 'pg';

/** Tests drop theirs when they are done. */
const NO_SUCH_DATABASE = '3D000';

/** The databases that the worker has migrated: the instrumented migrations.ts says which. */
export function openSqlMutants() {
  const connections = [];
  globalThis.keyrankDatabases = connections;
  /** Definitions to put back, by the connection's settings. */
  let replaced = [];
  return {
    isUsed: () => connections.length > 0,
    async activate(mutant) {
      if (!mutant.definition) return;
      for (const connection of [...connections]) {
        await withClient(connection, async (client) => {
          // Of several with the name, as an older version calls one, the one that was made last.
          const { rows } = await client.query(
            `SELECT pg_get_functiondef(oid) AS text FROM pg_proc
             WHERE proname = $1 AND pronamespace = 'keyrank'::regnamespace ORDER BY oid DESC LIMIT 1`,
            [mutant.function],
          );
          replaced.push([connection, rows[0].text]);
          await client.query(mutant.definition);
        }).catch((error) => {
          if (error.code !== NO_SUCH_DATABASE) throw error;
          connections.splice(connections.indexOf(connection), 1);
        });
      }
    },
    async deactivate() {
      const puttingBack = replaced;
      replaced = [];
      for (const [connection, text] of puttingBack) await withClient(connection, (client) => client.query(text));
    },
  };
}

async function withClient(connection, work) {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

// Loaded into a server before it starts: takes the application's own conditions on the tenant out of every statement that the
// role of the service sends. What then still keeps tenants apart is row-level security.
import pg from 'pg';

const ORGANIZATION = /(?:\b\w+\.)?\borganization_id = (\$\d)/g;
const MEMBER = /\b(AND|WHERE)(\s+)(?:\w+\.)?user_id = (\$\d)/g;
const told = new Set();
const query = pg.Client.prototype.query;

pg.Client.prototype.query = function queryWithoutFilters(statement, ...rest) {
  const isService = this.connectionParameters.application_name === 'keyrank keyrank_service';
  const text = typeof statement === 'string' ? statement : undefined;
  if (!isService || text === undefined) return query.call(this, statement, ...rest);
  const stripped = text.replace(ORGANIZATION, '$1::uuid IS NOT NULL').replace(MEMBER, '$1$2$3::uuid IS NOT NULL');
  if (stripped !== text && !told.has(text)) {
    told.add(text);
    process.stderr.write(`without filters: ${stripped.replaceAll(/\s+/g, ' ')}\n`);
  }
  return query.call(this, stripped, ...rest);
};

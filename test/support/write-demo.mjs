// Writes a demo data set with the compiled generator: node write-demo.mjs DIRECTORY OPTIONS_AS_JSON
import { join } from 'node:path';
import { generateReports } from '../../dist/demo/report.js';

const [directory, json] = process.argv.slice(2);
const { now, ...options } = JSON.parse(json);
for (const report of generateReports({ ...options, now: new Date(now) }))
  await report.write(join(directory, report.fileName));

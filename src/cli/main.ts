#!/usr/bin/env node
import { openProgram } from './commands.ts';
import { runProgram } from './run-program.ts';

await runProgram(await openProgram(process.argv.slice(2)));

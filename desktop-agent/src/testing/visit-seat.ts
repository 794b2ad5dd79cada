import { readFileSync } from 'node:fs';
import { connect } from 'node:net';

/** A face in a process of its own inside wine: makes the calls of its second argument and prints each answer as a line. */
const [file = '', asked = '[]'] = process.argv.slice(2);
const calls = JSON.parse(asked) as object[];
const socket = connect(`\\\\.\\pipe\\svc-agent-${readFileSync(file, 'utf8')}`);
let told = '';
socket.on('connect', () => {
  for (const [id, call] of calls.entries()) socket.write(`${JSON.stringify({ id, ...call })}\n`);
});
socket.on('data', (part) => {
  told += String(part);
  if (told.split('\n').length > calls.length) socket.end();
});
socket.on('error', () => undefined);
socket.on('close', () => {
  console.log(told);
  process.exit();
});

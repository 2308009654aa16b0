import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '#scripts/run-command.mjs'
import { findSystemProgram } from './haproxy.ts'
import { runProcess, waitUntilAnswers } from './processes.ts'
import { type CleanUp, makeTempFolder } from './run-task.ts'

interface Wanted {
  port: number
  portals: readonly [number, number]
}

/** Starts nginx with deploy/nginx.conf, without TLS. It ends with the run. @returns its URL */
export async function startNginx({ port, portals }: Wanted, cleanUp: CleanUp): Promise<string> {
  const folder = makeTempFolder(cleanUp)
  const site = readFileSync(join(root, 'deploy/nginx.conf'), 'utf8')
    .replace('listen 443 ssl http2', `listen 127.0.0.1:${port}`)
    .replace(/ssl_certificate\w* .*;/g, '')
    .replace(/^server \{\n +listen 80;[\s\S]*?^\}/m, '')
    .replace('127.0.0.1:4000', `127.0.0.1:${portals[0]}`)
    .replace('127.0.0.1:4001', `127.0.0.1:${portals[1]}`)
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ')
  writeFileSync(join(folder, 'site.conf'), site)
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; user root; pid ${folder}/pid; error_log stderr; events {}
    http { access_log off; ${temp} include ${folder}/site.conf; }`,
  )
  return start('nginx', ['-c', join(folder, 'nginx.conf')], port, folder, cleanUp)
}

/** Starts Caddy with deploy/Caddyfile, without TLS. It ends with the run. @returns its URL */
export async function startCaddy({ port, portals }: Wanted, cleanUp: CleanUp): Promise<string> {
  const folder = makeTempFolder(cleanUp)
  const site = readFileSync(join(root, 'deploy/Caddyfile'), 'utf8')
    .replace('{$PORTAL_HOST:localhost}', `http://127.0.0.1:${port}`)
    .replace('{$PORTAL_UPSTREAMS:127.0.0.1:4000}', portals.map((each) => `127.0.0.1:${each}`).join(' '))
  const file = join(folder, 'Caddyfile')
  writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n}\n${site}`)
  return start('caddy', ['run', '--adapter', 'caddyfile', '--config', file], port, folder, cleanUp)
}

async function start(name: string, args: string[], port: number, home: string, cleanUp: CleanUp) {
  const started = runProcess(findSystemProgram(name) as string, args, { env: { HOME: home } })
  cleanUp(started.stop)
  const url = `http://127.0.0.1:${port}`
  await waitUntilAnswers(`${url}/api/health/ready`, started)
  return url
}

import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import type { Hono } from 'hono'
import type { HttpEnv } from './implement.ts'

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webmanifest': 'application/manifest+json',
}

interface StaticFile {
  type: string
  body: Buffer<ArrayBuffer>
  brotli: Buffer<ArrayBuffer> | undefined
  gzip: Buffer<ArrayBuffer> | undefined
}

/** The built files in memory, by URL path, with the compressed forms that the build left beside them. */
export function readStaticFiles(folder: string): Map<string, StaticFile> {
  const files = new Map<string, StaticFile>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    const type = TYPES[extname(entry.name)]
    if (!entry.isFile() || !type) continue
    files.set(`/${relative(folder, file).replaceAll('\\', '/')}`, {
      type,
      body: readFileSync(file),
      brotli: readIfThere(`${file}.br`),
      gzip: readIfThere(`${file}.gz`),
    })
  }
  return files
}

function readIfThere(file: string): Buffer<ArrayBuffer> | undefined {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}

/** Serves the files; those under /assets carry a hash in their name and never change. */
export function serveStaticFiles(app: Hono<HttpEnv>, files: Map<string, StaticFile>): void {
  app.get('*', async (context, next) => {
    const file = files.get(context.req.path)
    if (!file) return next()
    context.header('Content-Type', file.type)
    context.header('Vary', 'Accept-Encoding')
    const isHashed = context.req.path.startsWith('/assets/')
    context.header('Cache-Control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
    const accepted = context.req.header('accept-encoding') ?? ''
    if (file.brotli && /\bbr\b/.test(accepted)) {
      context.header('Content-Encoding', 'br')
      return context.body(file.brotli)
    }
    if (file.gzip && /\bgzip\b/.test(accepted)) {
      context.header('Content-Encoding', 'gzip')
      return context.body(file.gzip)
    }
    return context.body(file.body)
  })
}

import { fileURLToPath } from 'node:url'

/** The project's folder, without a trailing slash. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url)).replace(/[\\/]$/, '')

/** Ports of the processes under measurement; BENCH_PORT moves them all. */
export const FIRST_PORT = Number(process.env.BENCH_PORT ?? 4380)

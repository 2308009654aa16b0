import * as z from 'zod/mini'

// Imported by every module of the browser that parses with a schema. zod's fast path asks whether eval is allowed, and asking is already a violation of the page's CSP.
z.config({ jitless: true })

import * as z from 'zod/mini'

// zod's fast path asks whether eval is allowed, and asking is already a violation of the page's CSP.
z.config({ jitless: true })

import { DEMO_PASSWORD } from '#server/demo/seed.ts'

/** The demo's administrator: the one account that signs in without the human check. */
export const ADMIN = { email: 'admin@grupopatio.com.br', password: DEMO_PASSWORD }

/** Somebody of the demo who sees all seven areas. */
export const DIRECTOR = { email: 'diretoria@grupopatio.com.br', password: DEMO_PASSWORD }

import * as z from 'zod/mini'
import { defineRoutes } from './route.ts'

/** A person's profile, SPEC section 3. Instants are ISO 8601 in UTC. */
export const profileSchema = z.object({
  id: z.uuid(),
  user_id: z.uuid(),
  email: z.string(),
  full_name: z.nullable(z.string()),
  approved: z.boolean(),
  email_verified_at: z.nullable(z.string()),
  created_at: z.string(),
  last_sign_in_at: z.nullable(z.string()),
  types: z.array(z.string()),
  marcas: z.array(z.string()),
  estados: z.array(z.string()),
})
export type Profile = z.output<typeof profileSchema>

export const roleSchema = z.enum(['admin', 'user'])

export const profileRoutes = defineRoutes({
  readOwnProfile: {
    method: 'GET',
    path: '/api/profiles/me',
    access: 'signedIn',
    summary: 'Own profile',
    response: profileSchema,
  },
  readOwnRole: {
    method: 'GET',
    path: '/api/user-roles/me',
    access: 'signedIn',
    summary: 'Own role',
    response: z.object({ role: roleSchema }),
  },
})

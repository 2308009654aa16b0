import * as z from 'zod/mini'
import { defineRoutes } from './route.ts'

export const supportRoutes = defineRoutes({
  countUnreadMessages: {
    method: 'GET',
    path: '/api/support-messages/unread-count',
    access: 'admin',
    summary: 'How many support messages nobody has read yet',
    response: z.object({ count: z.number() }),
  },
})

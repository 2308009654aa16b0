import type { accessReviewRoutes } from '#contract/access-reviews.ts'
import type { accessTemplateRoutes } from '#contract/access-templates.ts'
import type { groupMappingRoutes } from '#contract/group-mappings.ts'
import type { invitationRoutes } from '#contract/invitations.ts'
import type { userAccountRoutes } from '#contract/user-accounts.ts'
import type { userRoutes } from '#contract/users.ts'
import type { ServicesOf } from '#server/http/context.ts'
import type { Handlers } from '#server/http/implement.ts'
import {
  type AccessRequestContext,
  grantAccessRequest,
  readOwnAccessRequest,
  refuseAccessRequest,
  saveOwnAccessRequest,
} from './access-requests.ts'
import { listAccessReviews, readAccessReview, readHolders, saveAccessReview } from './access-reviews.ts'
import {
  addAccessTemplate,
  changeAccessTemplate,
  listAccessTemplates,
  removeAccessTemplate,
} from './access-templates.ts'
import { approveUsers, previewApproval } from './approve-users.ts'
import { bulkEdit, previewBulkEdit } from './bulk-edit.ts'
import { changeInvitations, resendInvitations, withdrawInvitations } from './change-invitations.ts'
import { approveUser, renameUser, setLists, setValidUntil, withdrawApproval } from './change-user.ts'
import { deleteUsers } from './delete-users.ts'
import { exportUserList } from './export-list.ts'
import { exportOwnData, exportUser } from './export-user.ts'
import {
  applyGroupAccess,
  listGroupMappings,
  previewGroupAccess,
  setGroupMappings,
} from './group-mappings.ts'
import { listInvitations, resendInvitation, withdrawInvitation } from './invitations.ts'
import { type InvitationContext, invite, previewInvitations } from './invite-people.ts'
import { countTasks, countUsers, listUsers } from './list-users.ts'
import { changeRole, helpWithAccount, type UserAccountContext } from './user-accounts.ts'
import { readHistory, readProfile } from './user-queries.ts'

/** Own profile and role (already read by the session check), and user administration. */
export function userHandlers(services: ServicesOf<AccessRequestContext>): Handlers<typeof userRoutes> {
  return {
    readOwnProfile: ({ context }) => context.actor.profile,
    readOwnRole: ({ context }) => ({ role: context.actor.role }),
    readOwnAccessRequest: ({ context }) => readOwnAccessRequest(context),
    saveOwnAccessRequest: ({ context, body }) => saveOwnAccessRequest({ ...services, ...context }, body),
    grantAccessRequest: ({ context, params, body }) => grantAccessRequest(context, { ...params, ...body }),
    async refuseAccessRequest({ context, params, body }) {
      await refuseAccessRequest(context, { ...params, ...body })
      return undefined
    },
    listProfiles: ({ context, query }) => listUsers(context.db, query),
    countProfiles: ({ context, query }) => countUsers(context.db, query),
    countTasks: ({ context }) => countTasks(context),
    exportProfiles: ({ context, query }) => exportUserList(context, query),
    readProfile: ({ context, params }) => readProfile(context.db, params.userId),
    changeProfile({ context, params, body, ifMatch }) {
      const target = { ...params, ifMatch }
      if ('full_name' in body) return renameUser(context, { ...target, ...body })
      if ('approved' in body) {
        if (!body.approved) return withdrawApproval(context, target)
        return approveUser(context, { ...target, lists: 'types' in body ? body : undefined })
      }
      if ('types' in body || 'marcas' in body) return setLists(context, { ...target, lists: body })
      return setValidUntil(context, { ...target, ...body })
    },
    bulkEdit: ({ context, query, body }) =>
      query.dryRun ? previewBulkEdit(context, body) : bulkEdit(context, body),
    approveProfiles: ({ context, query, body }) =>
      query.dryRun ? previewApproval(context, body.items) : approveUsers(context, body.items),
    readHistory: ({ context, params, query }) => {
      const reader = { id: context.actor.profile.user_id, now: context.clock() }
      return readHistory(context.db, { ...params, ...query, reader })
    },
    exportOwnProfile: ({ context }) => exportOwnData({ ...services, ...context }),
    exportProfile: ({ context, params }) => exportUser(context, params.userId),
    deleteUsers: ({ context, body }) => deleteUsers(context, body.userIds),
  }
}

/** What administrators can do for the account of one person. */
export function userAccountHandlers(
  services: ServicesOf<UserAccountContext>,
): Handlers<typeof userAccountRoutes> {
  return {
    helpWithAccount: ({ context, params, body }) =>
      helpWithAccount({ ...services, ...context }, { ...params, ...body }),
    changeRole: ({ context, params, body, ifMatch }) => changeRole(context, { ...params, ...body, ifMatch }),
  }
}

export function accessTemplateHandlers(): Handlers<typeof accessTemplateRoutes> {
  return {
    listAccessTemplates: async ({ context }) => ({ items: await listAccessTemplates(context.db) }),
    addAccessTemplate: ({ context, body }) => addAccessTemplate(context, body),
    changeAccessTemplate: ({ context, params, ifMatch, body }) =>
      changeAccessTemplate(context, { ...params, ifMatch, change: body }),
    removeAccessTemplate: async ({ context, params, ifMatch }) => {
      await removeAccessTemplate(context, { ...params, ifMatch })
      return undefined
    },
  }
}

/** Groups of the directory. */
export function groupMappingHandlers(): Handlers<typeof groupMappingRoutes> {
  return {
    listGroupMappings: ({ context }) => listGroupMappings(context.db),
    setGroupMappings: ({ context, body, ifMatch }) => setGroupMappings(context, { ...body, ifMatch }),
    previewGroupAccess: ({ context }) => previewGroupAccess(context),
    applyGroupAccess: ({ context, body }) => applyGroupAccess(context, body.fingerprint),
  }
}

export function invitationHandlers(
  services: ServicesOf<InvitationContext>,
): Handlers<typeof invitationRoutes> {
  return {
    listInvitations: ({ context, query }) => listInvitations(context, query),
    invite: ({ context, query, body }) =>
      query.dryRun
        ? previewInvitations({ ...services, ...context }, body)
        : invite({ ...services, ...context }, body),
    resendInvitation: ({ context, params }) => resendInvitation({ ...services, ...context }, params.id),
    changeInvitations: ({ context, body }) => changeInvitations(context, body),
    resendInvitations: ({ context, body }) => resendInvitations(context, body.ids),
    withdrawInvitations: ({ context, body }) => withdrawInvitations(context, body.ids),
    async withdrawInvitation({ context, params }) {
      await withdrawInvitation(context, params.id)
      return undefined
    },
  }
}

/** Periodic reviews of the holders of areas and brands. */
export function accessReviewHandlers(): Handlers<typeof accessReviewRoutes> {
  return {
    listAccessReviews: ({ context }) => listAccessReviews(context.db),
    readHolders: ({ context, params }) => readHolders(context.db, params),
    readAccessReview: ({ context, params }) => readAccessReview(context.db, params),
    saveAccessReview: ({ context, params, body }) => saveAccessReview(context, { ...params, ...body }),
  }
}

import { expect, it } from 'vitest'
import { KEPT_DATA, type PrivacySettings } from './privacy.ts'

it('every configurable period is shown', () => {
  const names: Record<Exclude<keyof PrivacySettings, 'officer'>, null> = {
    unverifiedDays: null,
    requestsDays: null,
    invitationsDays: null,
    devicesDays: null,
    mailDays: null,
    messagesMonths: null,
    suspectDays: null,
    accessMonths: null,
    attemptsDays: null,
    auditMonths: null,
    usageMonths: null,
    subscriptionsDays: null,
    noticesDays: null,
    sessionMaxDays: null,
  }
  const settings = Object.fromEntries(Object.keys(names).map((name, index) => [name, 101 + index]))
  const shown = KEPT_DATA.map(({ period }) => period(settings as unknown as PrivacySettings)).join()
  for (const [name, value] of Object.entries(settings)) expect(shown, name).toContain(String(value))
})

import { sharedStorage } from '#web/session/browser-storage.ts'

const STORAGE_KEY = 'patio.keys'

/** Whether single keys act in this browser; WCAG 2.1.4 asks for a way to switch them off. */
export const areKeysOn = () => sharedStorage.get(STORAGE_KEY) !== 'off'
export const switchKeys = (isOn: boolean) => void sharedStorage.set(STORAGE_KEY, isOn ? 'on' : 'off')

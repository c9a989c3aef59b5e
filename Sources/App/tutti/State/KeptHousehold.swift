import Households
import TuttiRuntime

/// The household's file, as sessions use it.
struct KeptHousehold: HouseholdStore {
    let file: HouseholdFile

    func load() throws(MemoryFailure) -> Household? {
        do throws(PrivateFileError) { return try file.load() } catch { throw MemoryFailure("\(error)") }
    }

    func change(
        _ body: (inout Household?) throws(HouseholdError) -> Void
    ) throws(HouseholdChangeFailure) -> Household? {
        let result: Result<Household?, HouseholdError>
        do throws(PrivateFileError) {
            result = try file.update(body)
        } catch {
            throw .store(MemoryFailure("\(error)"))
        }
        do throws(HouseholdError) { return try result.get() } catch { throw .household(error) }
    }
}
